// SPDX-License-Identifier: BSD-3-Clause
// Adds up the counters of a trace (EPK_METRICS) by call path, as the summary does. A record has the count since its
// thread began. The part since the record before belongs to the call path between them. A peak has a record when it
// changes, and holds until the next one: it counts for each call path in between.
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

// The counters of one thread.
class CounterSums {
 public:
  CounterSums(const TraceArchive& archive, uint32_t process);

  void Take(const Event& event) {
    if (has_counters_) Count(event);
  }
  // Call it after the last event.
  std::vector<CounterSum> Finish() const;

 private:
  void Count(const Event& event);
  // The thread was in this call path from the event before until now.
  void EndPart(uint32_t path);
  // Another thread has taken the place of one that has ended.
  void BeginThread();
  // Whether the call path is of that region. (Counters are not read at the begin and end of a `measurement` region.)
  bool IsRegion(uint32_t path, const char* name, const char* role) const;

  const TraceArchive& archive_;
  uint32_t process_;
  bool has_counters_;
  std::map<uint32_t, uint64_t> before_;                     // by metric
  std::map<uint32_t, uint64_t> peaks_;                      // from the latest record
  std::vector<uint32_t> open_;                              // call paths, outermost first
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> sums_;  // by metric and call path
};

// Adds the values of one thread.
void AddCounters(const TraceArchive& archive, uint32_t process, const std::vector<CounterSum>& sums,
                 TrafficMetrics* metrics, std::vector<Value>* values);

// The unique names of these counters in profiles.
std::set<std::string> CountersOf(const TraceArchive& archive);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_COUNTERS_H_
