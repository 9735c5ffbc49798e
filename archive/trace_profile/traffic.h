// SPDX-License-Identifier: BSD-3-Clause
// Adds up the records of a trace by call path: messages, collective operations, one-sided accesses, and the metrics of
// the program. The metrics have the names that the summary uses (runtime/event/metrics.def).
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_

#include <array>
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

// Numbers metrics in the order in which they come, behind those that every profile has.
class TrafficMetrics {
 public:
  uint32_t NumberOf(const MetricDefinition& metric);
  const std::vector<MetricDefinition>& all() const { return metrics_; }

 private:
  std::vector<MetricDefinition> metrics_ = CommonMetrics();
  std::map<std::string, uint32_t> numbers_;
};

// The sums of one location. A request that another location begins or ends is kept as a fact, because its sum belongs
// to the call path that began it.
struct LocationTraffic {
  struct Sum {
    uint32_t metric, path;  // metric without event::kMetricBit: index of the program's metric in its process's map
    uint64_t sum, count;    // for the program's metric, the sum is the bits of a double
  };
  struct Begun {
    uint64_t request;
    uint32_t path;
    uint64_t sent;  // bytes; kNoSend: it is not a send
    // Bytes of a collective operation, which has begun even if it never ends.
    bool is_posted = false;
    uint64_t out = 0, in = 0;
  };
  struct Ended {
    uint64_t request;
    bool is_cancelled;
    uint64_t out, in;  // of a collective operation
  };
  static constexpr uint64_t kNoSend = ~uint64_t{0};

  std::vector<uint32_t> metrics;  // in the order in which they came
  std::vector<Sum> sums;
  std::vector<Begun> begun;
  std::vector<Ended> ended;  // in the order of the trace
};

class Traffic {
 public:
  Traffic(const TraceArchive& archive, uint32_t process) : archive_(archive), process_(process) {}
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  void Take(const Event& event) {
    if (event.kind != event::RecordKind::kEnter && event.kind != event::RecordKind::kExit) TakeRecord(event);
  }
  // Call it after the last event.
  LocationTraffic Finish();

 private:
  struct Counted {
    uint64_t sum = 0, count = 0;
  };
  // Found before, by remainders of their numbers: most records are of the same few call paths.
  static constexpr uint32_t kFound = 16;
  struct FoundPath {
    uint64_t node = ~uint64_t{0};
    uint32_t path = kNone;
  };
  struct FoundCounted {
    uint32_t metric = 0, path = kNone;
    Counted* counted = nullptr;  // in counted_
  };
  enum class Kind : uint8_t { kOther, kCollective };

  void TakeRecord(const Event& event);
  uint32_t PathOf(uint32_t node);
  Counted& At(uint32_t metric, uint32_t path);
  void Add(uint32_t metric, uint32_t path, uint64_t sum, uint64_t count = 1);
  void AddUserMetric(uint32_t path, const Event& event);
  void AddAtomic(uint32_t path, const Event& event);
  void End(const Event& event, uint32_t path);
  void Fail(const Event& event, uint32_t path);
  void Post(const Event& event);
  Kind KindOf(uint64_t region);

  const TraceArchive& archive_;
  uint32_t process_;
  bool is_truncated_ = false;   // the message of the receive that follows
  bool has_failed_ = false;     // the next record is the end of a collective operation that returned an error
  uint32_t sent_from_ = kNone;  // call path of the latest send without a request …
  uint64_t sent_ = 0;           // … and its bytes
  uint64_t at_ = 0;             // node of the next record, from a record kAt; 0: the innermost open node
  std::map<std::pair<uint32_t, uint32_t>, Counted> counted_;  // by metric and call path
  std::array<FoundPath, kFound> found_paths_;
  std::array<FoundCounted, kFound> found_counted_;
  std::unordered_map<uint64_t, LocationTraffic::Begun> begun_;  // by request
  std::unordered_map<uint64_t, Kind> kinds_;                    // by region
  LocationTraffic found_;
};

// The traffic of all locations of one process.
class ProcessTraffic {
 public:
  // `locations` takes the values. Its index is the number of a location in the archive's definitions.
  ProcessTraffic(const TraceArchive& archive, uint32_t process, TrafficMetrics* metrics,
                 std::vector<std::vector<Value>>* locations)
      : archive_(archive), process_(process), metrics_(*metrics), locations_(*locations) {}

  // Takes locations in the order of the archive's streams.
  void Take(uint32_t location, const LocationTraffic& traffic);
  // Call it after the last location.
  void Finish();

 private:
  struct Place {
    uint32_t location, path;
    bool operator<(const Place& other) const {
      return location != other.location ? location < other.location : path < other.path;
    }
  };
  struct Begun {
    uint32_t location;
    LocationTraffic::Begun request;
  };

  void Meet(uint32_t metric);
  void Add(Place place, const LocationTraffic::Sum& sum);
  void End(const LocationTraffic::Ended& ended, const Begun& begun);
  MetricDefinition UserMetric(uint32_t metric) const;

  const TraceArchive& archive_;
  uint32_t process_;
  TrafficMetrics& metrics_;
  std::vector<std::vector<Value>>& locations_;
  std::map<std::pair<uint32_t, Place>, uint64_t> sums_;
  std::map<std::pair<uint32_t, Place>, double> real_sums_;
  std::unordered_map<uint64_t, Begun> begun_;  // by request
  std::vector<LocationTraffic::Ended> ended_;  // ends that may have their begin in another stream
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TRAFFIC_H_
