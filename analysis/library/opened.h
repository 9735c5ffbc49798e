// SPDX-License-Identifier: BSD-3-Clause
// An opened archive as the library shows it: threads are locations, and every number means the same in the whole job.
// Several threads may use it at the same time.
#ifndef EPIK_ANALYSIS_LIBRARY_OPENED_H_
#define EPIK_ANALYSIS_LIBRARY_OPENED_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/replay/world.h"
#include "archive/trace/trace_archive.h"
#include "epik/trace.h"

namespace epik::library {

class Opened {
 public:
  struct Location {
    uint32_t process = 0, number = 0;
    int32_t rank = 0;
    std::string name, host;
    uint64_t places = 0;
    int64_t first_ns = 0, last_ns = 0;
  };

  // Returns false, with the reason, when there is no trace that can be read.
  bool Open(const std::string& path, std::string* error);

  const archive::TraceArchive& traces() const { return traces_; }
  const archive::TraceDefinitions& definitions() const { return traces_.definitions(); }
  const replay::World& world() const { return world_; }
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<archive::MetricName>& metrics() const { return metrics_; }

  const replay::Process& ProcessAt(uint32_t location) const { return world_.processes[locations_[location].process]; }
  const archive::ProcessFile& FileAt(uint32_t location) const {
    return traces_.processes()[locations_[location].process]->file;
  }
  // Whether a call of `node` within `outer` is not shown, because a compiler made its function from an OpenMP
  // construct.
  bool Folds(uint32_t location, uint32_t outer, uint32_t node) const {
    if (!traces_.HasFolded() || node == outer) return false;
    const auto& nodes = ProcessAt(location).nodes;
    const uint32_t path = nodes.At(node).path;
    return path != replay::kNone && path == nodes.At(outer).path;
  }
  uint32_t ParentOfNode(uint32_t process, uint32_t node) const;

  // Fields of an event, as numbers of the job. The kind is one of records.def.
  void Translate(uint32_t location, const archive::Event& event, epik_trace_event* to) const;

 private:
  void AddLocation(const archive::TraceArchive::Stream& stream);

  archive::TraceArchive traces_;
  replay::World world_;
  std::vector<Location> locations_;
  std::vector<archive::MetricName> metrics_;                           // each metric once
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> metric_of_;  // by process: its number, ascending -> metrics_
  mutable std::mutex parents_;  // the first question makes the archive build these tables
};

// The kind of an event in the public interface, and back.
constexpr uint16_t PublicKind(event::RecordKind kind) {
  return kind == event::RecordKind::kEnter ? uint16_t{EPIK_TRACE_ENTER} : static_cast<uint16_t>(kind);
}
// The meaning of the number in a field; "" when there is no such field.
const char* FieldType(uint32_t kind, uint32_t field);
const char* FieldName(uint32_t kind, uint32_t field);
const char* KindName(uint32_t kind);

}  // namespace epik::library

#endif  // EPIK_ANALYSIS_LIBRARY_OPENED_H_
