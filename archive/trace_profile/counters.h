// SPDX-License-Identifier: BSD-3-Clause
// The counters of a trace (EPK_METRICS), by call path, as the summary has them. A record tells what was counted since
// its thread began; the part that is new since the record before belongs to the call path between them. A peak has a
// record where it is another one than before, and holds until the next one: each call path between has it.
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_COUNTERS_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_COUNTERS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "archive/trace_profile/traffic.h"

namespace epik::archive {

// The sum of a counter over the visits of a call path.
struct CounterSum {
  uint32_t metric, path;  // the metric: its place in the process's map
  uint64_t count;
};

// Those of one thread.
class CounterSums {
 public:
  CounterSums(const TraceArchive& archive, uint32_t process);

  void Take(const epilog::Event& event) {
    if (has_counters_) Count(event);
  }
  // After the last event.
  std::vector<CounterSum> Finish() const;

 private:
  void Count(const epilog::Event& event);
  // Until now, the thread was in this call path since the event before.
  void EndPart(uint32_t path);
  // A thread has come into the place of one that has ended.
  void BeginThread();
  // Whether it is that region. (Nothing is read where one of `measurement` begins and ends.)
  bool IsRegion(uint32_t path, const char* name, const char* role) const;

  const TraceArchive& archive_;
  uint32_t process_;
  bool has_counters_;
  std::map<uint32_t, uint64_t> before_;                     // by metric
  std::map<uint32_t, uint64_t> peaks_;                      // as of the latest record
  std::vector<uint32_t> open_;                              // call paths, outermost first
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> sums_;  // and call path
};

// Adds the values of one thread.
void AddCounters(const TraceArchive& archive, uint32_t process, const std::vector<CounterSum>& sums,
                 TrafficMetrics* metrics, std::vector<Value>* values);

// The unique names that they have in profiles.
std::set<std::string> CountersOf(const TraceArchive& archive);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_COUNTERS_H_
