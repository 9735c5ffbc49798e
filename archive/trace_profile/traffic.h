// SPDX-License-Identifier: BSD-3-Clause
// What the records of a trace add up to beside calls and times: messages, collective operations, one-sided accesses,
// and the program's own metrics, by call path. The same names as in the summary (runtime/event/metrics.def).
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

// Whether traces have records of what this metric of the summary counts.
bool IsTraffic(std::string_view unique_name);

// The metrics that were met, behind those that every profile has.
class TrafficMetrics {
 public:
  uint32_t NumberOf(const MetricDefinition& metric);
  const std::vector<MetricDefinition>& all() const { return metrics_; }

 private:
  std::vector<MetricDefinition> metrics_ = CommonMetrics();
  std::map<std::string, uint32_t> numbers_;
};

// Of one process. A request may be completed by another thread than the one that began it, and belongs to the call path
// that did.
class Traffic {
 public:
  // `locations`: where the values go, by the numbers of the archive's definitions.
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
  };
  enum class Kind : uint8_t { kOther, kCollective };

  void Add(uint32_t metric, Place place, uint64_t sum, uint64_t count = 1);
  void AddUserMetric(Place place, const epilog::Event& event);
  void AddAtomic(Place place, const epilog::Event& event);
  void End(const epilog::Event& event, const Begun* begun);
  Kind KindOf(uint64_t region);
  std::string_view NameOf(uint64_t region) const;

  const TraceArchive& archive_;
  uint32_t process_;
  TrafficMetrics& metrics_;
  std::vector<std::vector<Value>>& locations_;
  uint64_t at_ = 0;  // node of the record that follows; 0: where the stream is
  std::map<std::pair<uint32_t, Place>, uint64_t> sums_;
  std::map<std::pair<uint32_t, Place>, double> real_sums_;
  std::unordered_map<uint64_t, Begun> begun_;  // by request
  std::vector<epilog::Event> ended_;           // that another thread has begun, perhaps
  std::unordered_map<uint64_t, Kind> kinds_;   // by region
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_
