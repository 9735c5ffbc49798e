// SPDX-License-Identifier: BSD-3-Clause
// Adds up the records of a trace by call path: messages, collective operations, one-sided accesses, and the metrics of
// the program. The metrics have the names that the summary uses (runtime/event/metrics.def).
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/parts/process_part.h"
#include "archive/trace/trace_archive.h"

namespace epik::archive {

// Whether this metric of the summary can be computed from the records of a trace.
bool IsTraffic(std::string_view unique_name);

// Numbers for metrics in the order in which they are met, after those that every profile has.
class TrafficMetrics {
 public:
  uint32_t NumberOf(const MetricDefinition& metric);
  const std::vector<MetricDefinition>& all() const { return metrics_; }

 private:
  std::vector<MetricDefinition> metrics_ = CommonMetrics();
  std::map<std::string, uint32_t> numbers_;
};

// The sums of one process. When one thread begins a request and another completes it, the sum belongs to the call path
// that began it.
class Traffic {
 public:
  // `locations` takes the values. Its index is the number of a location in the archive's definitions.
  Traffic(const TraceArchive& archive, uint32_t process, TrafficMetrics* metrics,
          std::vector<std::vector<Value>>* locations)
      : archive_(archive), process_(process), metrics_(*metrics), locations_(*locations) {}

  void Take(uint32_t location, const epilog::Event& event);
  // After the last stream of the process.
  void Finish();

 private:
  struct Place {
    uint32_t location, path;
    bool operator<(const Place& other) const {
      return location != other.location ? location < other.location : path < other.path;
    }
  };
  struct Begun {
    Place place;
    uint64_t bytes;
    epilog::Event posted = {};  // of a collective operation
  };
  enum class Kind : uint8_t { kOther, kCollective };

  void Add(uint32_t metric, Place place, uint64_t sum, uint64_t count = 1);
  void AddUserMetric(Place place, const epilog::Event& event);
  void AddAtomic(Place place, const epilog::Event& event);
  void End(const epilog::Event& event, const Begun* begun);
  void AddCollective(const epilog::Event& event, Place place);
  Kind KindOf(uint64_t region);
  std::string_view NameOf(uint64_t region) const;

  const TraceArchive& archive_;
  uint32_t process_;
  TrafficMetrics& metrics_;
  std::vector<std::vector<Value>>& locations_;
  uint64_t at_ = 0;  // node of the next record, from a record kAt; 0: the innermost open node
  std::map<std::pair<uint32_t, Place>, uint64_t> sums_;
  std::map<std::pair<uint32_t, Place>, double> real_sums_;
  std::unordered_map<uint64_t, Begun> begun_;  // by request
  std::vector<epilog::Event> ended_;           // ends whose beginning may be in another stream
  std::unordered_map<uint64_t, Kind> kinds_;   // by region
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_
