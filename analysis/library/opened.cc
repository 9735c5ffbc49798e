// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/library/opened.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/replay/archive_world.h"
#include "archive/directory/archive.h"
#include "archive/trace/record_names.h"

namespace epik::library {

using event::RecordKind;

namespace {

// Fields that hold numbers of a process, and the kind of number that they become.
enum class Change : uint8_t { kNo, kRegion, kMetric, kNode, kCommunicator, kWindow, kTicks };

Change ChangeOf(RecordKind kind, std::string_view type) {
  if (type == "region") return kind == RecordKind::kMetric ? Change::kMetric : Change::kRegion;
  if (type == "node") return Change::kNode;
  if (type == "comm") return Change::kCommunicator;
  if (type == "window") return Change::kWindow;
  if (type == "ticks") return Change::kTicks;
  return Change::kNo;
}

using Changes = std::array<Change, event::kMostFields>;

const Changes& ChangesOf(RecordKind kind) {
  static const auto kAll = [] {
    std::array<Changes, epilog::kKinds> all{};
    for (uint32_t k = 0; k < epilog::kKinds; ++k) {
      const archive::RecordName& names = archive::NameOf(static_cast<RecordKind>(k));
      for (uint32_t f = 0; f < event::kMostFields; ++f) {
        all[k][f] = ChangeOf(static_cast<RecordKind>(k), names.field[f].kind);
      }
    }
    return all;
  }();
  return kAll[static_cast<uint32_t>(kind)];
}

uint64_t Find(const std::vector<std::pair<uint32_t, uint32_t>>& map, uint64_t number) {
  const auto found = std::lower_bound(map.begin(), map.end(), number,
                                      [](const auto& entry, uint64_t wanted) { return entry.first < wanted; });
  return found != map.end() && found->first == number ? found->second : archive::kNone;
}

// The names are views into one text of records.def; C needs each with a zero at its end.
struct Names {
  std::string kind;
  std::array<std::string, event::kMostFields> field, type;
};

const Names& NamesOf(uint32_t kind) {
  static const auto kAll = [] {
    std::vector<Names> all(epilog::kKinds);
    for (uint32_t k = 0; k < epilog::kKinds; ++k) {
      const archive::RecordName& names = archive::NameOf(static_cast<RecordKind>(k));
      all[k].kind = names.name;
      for (uint32_t f = 0; f < event::kMostFields; ++f) {
        all[k].field[f] = names.field[f].name;
        switch (ChangeOf(static_cast<RecordKind>(k), names.field[f].kind)) {
          case Change::kMetric: all[k].type[f] = "metric"; break;
          case Change::kNode: all[k].type[f] = "callpath"; break;
          case Change::kTicks: all[k].type[f] = "ns"; break;
          default: all[k].type[f] = names.field[f].kind;
        }
      }
    }
    all[EPIK_TRACE_ENTER].kind = "enter";
    return all;
  }();
  static const Names kNothing;
  return kind < kAll.size() ? kAll[kind] : kNothing;
}

}  // namespace

const char* KindName(uint32_t kind) { return NamesOf(kind).kind.c_str(); }
const char* FieldName(uint32_t kind, uint32_t field) {
  return field < event::kMostFields ? NamesOf(kind).field[field].c_str() : "";
}
const char* FieldType(uint32_t kind, uint32_t field) {
  return field < event::kMostFields ? NamesOf(kind).type[field].c_str() : "";
}

void Opened::AddLocation(const archive::TraceArchive::Stream& stream) {
  const archive::TraceArchive::Process& process = *traces_.processes()[stream.process];
  const archive::Profile& profile = definitions().profile;
  Location location;
  location.process = stream.process;
  location.number = stream.number;
  location.rank = process.map.rank;
  location.name = "thread " + std::to_string(stream.number);
  if (stream.location != archive::kNone) {
    const archive::Location& known = profile.locations[stream.location];
    location.name = known.name;
    location.host = profile.hosts[profile.processes[known.process].host].name;
  }
  uint64_t first = UINT64_MAX, last = 0;
  for (const epilog::IndexEntry& block : process.file.blocks()) {
    if (block.location != stream.number) continue;
    location.places += block.events;
    first = std::min(first, block.first_time);
    last = std::max(last, block.last_time);
  }
  if (first <= last) {
    location.first_ns = process.clock.Ns(first);
    location.last_ns = process.clock.Ns(last);
  }
  locations_.push_back(std::move(location));
}

bool Opened::Open(const std::string& path, std::string* error) {
  archive::Archive archive;
  if (!archive::Open(path, &archive, error) || !traces_.Open(path, error)) return false;
  world_ = replay::WorldOf(traces_, path, archive.has_manifest ? &archive.manifest : nullptr);
  for (const archive::TraceArchive::Stream& stream : traces_.streams()) AddLocation(stream);
  std::map<std::pair<std::string, std::string>, uint32_t> known;
  for (const auto& process : traces_.processes()) {
    auto& numbers = metric_of_.emplace_back();
    for (const archive::MetricName& metric : process->map.metrics) {
      const auto [at, is_new] = known.try_emplace({metric.name, metric.unit}, metrics_.size());
      if (is_new) metrics_.push_back(metric);
      numbers.emplace_back(metric.number, at->second);
    }
    std::sort(numbers.begin(), numbers.end());
  }
  return true;
}

uint32_t Opened::ParentOfNode(uint32_t process, uint32_t node) const {
  const std::lock_guard<std::mutex> lock(parents_);
  return traces_.ParentOfNode(process, node);
}

void Opened::Translate(uint32_t location, const archive::Event& event, epik_trace_event* to) const {
  const uint32_t process = locations_[location].process;
  const Changes& changes = ChangesOf(event.kind);
  for (uint32_t i = 0; i < event.fields; ++i) {
    uint64_t value = event.field[i];
    switch (changes[i]) {
      case Change::kNo: break;
      case Change::kRegion: value = traces_.Region(process, value); break;
      case Change::kMetric: value = Find(metric_of_[process], value); break;
      case Change::kNode: value = world_.processes[process].nodes.At(value).path; break;
      case Change::kCommunicator: value = world_.processes[process].communicators.At(value).number; break;
      case Change::kWindow: value = traces_.WindowOf(process, value); break;
      case Change::kTicks: value = static_cast<uint64_t>(world_.processes[process].clock.Ns(value)); break;
    }
    to->field[i] = value;
  }
}

}  // namespace epik::library
