// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/archive_world.h"

#include <algorithm>
#include <sstream>

#include "archive/files/byte_source.h"
#include "archive/profile/region_class.h"
#include "archive/trace/location_reader.h"
#include "config/filter.h"
#include "config/trace_selection.h"

namespace epik::replay {

using archive::TraceArchive;

namespace {

// A manifest may list ranks that are not in the trace. Each of them takes memory, so a damaged manifest must not list
// more ranks than a job can have.
constexpr int kMostUntraced = 1 << 20;

class ArchiveSource : public EventSource {
 public:
  ArchiveSource(const TraceArchive& traces, const TraceArchive::Stream& stream, std::vector<std::string>* damage)
      : name_(traces.processes()[stream.process]->map.file),
        reader_(&traces.processes()[stream.process]->file, stream.number,
                [&traces, p = stream.process](uint32_t node) { return traces.ParentOfNode(p, node); }),
        damage_(damage) {}

  bool Next(archive::Event* event) override {
    if (reader_.Next(event)) return true;
    TellDamage();
    return false;
  }

 private:
  // Next comes here once. It would save and check more at each call if it made the texts itself.
  [[gnu::noinline]] void TellDamage() {
    for (const archive::Damage& damage : reader_.damage()) {
      damage_->push_back(name_ + ", byte " + std::to_string(damage.offset) + ": " + damage.what);
    }
  }

  std::string name_;
  archive::LocationReader reader_;
  std::vector<std::string>* damage_;
};

std::vector<int32_t> Ranks(const std::vector<uint32_t>& ranks) {
  std::vector<int32_t> all;
  all.reserve(ranks.size());
  for (const uint32_t rank : ranks) all.push_back(static_cast<int32_t>(rank));
  return all;
}

std::vector<std::pair<uint32_t, Known>> Numbers(const archive::NumberMap& map, size_t most) {
  std::vector<std::pair<uint32_t, Known>> all;
  all.reserve(map.size());
  for (const auto& [own, global] : map) {
    if (global < most) all.emplace_back(own, Known{global});
  }
  return all;
}

bool IsPause(const archive::Region& region) { return region.name == "paused" && region.paradigm == "measurement"; }

// Whether each call path is the outermost one of a region with a window.
std::vector<bool> PathsThatOpenWindows(const archive::Profile& profile, const std::string& selection) {
  config::TraceSelection trace;
  if (!config::ParseTrace(selection, &trace) || trace.windows.empty()) return {};
  const auto is_named = [&](const archive::Region& region) {
    return std::any_of(trace.windows.begin(), trace.windows.end(), [&](const config::TraceSelection::Window& window) {
      return config::GlobMatchesName(window.region, region.name);
    });
  };
  std::vector<bool> named, inside, opens;
  for (const archive::Region& region : profile.regions) named.push_back(is_named(region));
  for (const archive::CallPath& path : profile.call_paths) {  // parents come first
    const bool around = path.parent < inside.size() && inside[path.parent];
    opens.push_back(named[path.region] && !around);
    inside.push_back(named[path.region] || around);
  }
  return opens;
}

void FillProcess(const TraceArchive& traces, const std::vector<Operation>& operations,
                 const std::vector<bool>& opens_window, uint32_t number, Process* process) {
  const archive::ProcessMap& map = traces.processes()[number]->map;
  const archive::Profile& profile = traces.definitions().profile;
  process->rank = map.rank;
  process->clock = traces.processes()[number]->clock;
  process->end_ticks = map.last_ticks;
  for (const archive::Process& known : profile.processes) {
    if (known.rank == map.rank) process->host = known.host;
  }
  std::vector<std::pair<uint32_t, NodeFacts>> nodes;
  nodes.reserve(map.nodes.size());
  for (const auto& [own, path] : map.nodes) {
    if (path < profile.call_paths.size()) {
      nodes.emplace_back(own, NodeFacts{path, operations[profile.call_paths[path].region],
                                        !opens_window.empty() && opens_window[path]});
      process->waits_for_locks |= GivesMutex(nodes.back().second.operation.role);
      process->partial |= IsPause(profile.regions[profile.call_paths[path].region]);
    }
  }
  process->nodes.Assign(std::move(nodes));
  std::vector<std::pair<uint32_t, Operation>> regions;
  for (const auto& [own, region] : map.regions) {
    if (region < operations.size()) regions.emplace_back(own, operations[region]);
  }
  process->regions.Assign(std::move(regions));
  process->communicators.Assign(Numbers(map.communicators, traces.definitions().communicators.size()));
  process->windows.Assign(Numbers(map.windows, traces.definitions().windows.size()));
}

}  // namespace

std::string SettingOf(const std::string& path, const std::string& name) {
  constexpr uint64_t kMostBytes = 1 << 20;
  std::string text, ignored;
  if (!archive::ReadFile(path + "/epik.conf", kMostBytes, &text, &ignored)) return "";
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos || line.rfind(name, 0) != 0) continue;
    if (line.find_first_not_of(' ', name.size()) != equals) continue;
    const size_t value = line.find_first_not_of(' ', equals + 1);
    if (value != std::string::npos) found = line.substr(value, line.find_last_not_of(" \r") + 1 - value);
  }
  return found;
}

std::string SelectionOf(const std::string& path) {
  const std::string selection = SettingOf(path, "EPK_TRACE");
  return selection.empty() && SettingOf(path, "EPK_ANALYZE") == "yes" ? "comm" : selection;
}

std::string WhatWasNotLogged(const std::string& selection) {
  config::TraceSelection trace;
  const bool is_slow = config::ParseTrace(selection, &trace) && trace.slow_ns > 0;
  if (!is_slow || trace.all || trace.comm || trace.msgs || !trace.windows.empty()) return "";
  return "EPK_TRACE=" + selection +
         " logs no messages, operations or locks, so nobody waits for them here: EPK_TRACE=comm," + selection +
         " has both";
}

World WorldOf(const TraceArchive& traces, const std::string& path, const archive::Manifest* manifest) {
  World world;
  std::vector<Operation> operations;
  for (const archive::Region& region : traces.definitions().profile.regions) {
    Operation operation = OperationOf(region.name);
    const bool is_group = region.role == "taskgroup";  // the wait at the end of a taskgroup is a region of its own
    if (operation.role == Role::kNone && !is_group && (region.paradigm == "openmp" || region.paradigm == "pthread")) {
      operation = OperationOfConstruct(archive::TimeMetricOf(region));
    }
    operations.push_back(operation);
  }
  const std::string selection = SelectionOf(path);
  const bool selects = selection.find("visits") != std::string::npos || selection.find("window") != std::string::npos;
  const bool lost = manifest != nullptr && manifest->trace.lost > 0;
  const std::vector<bool> opens_window = PathsThatOpenWindows(traces.definitions().profile, selection);
  world.has_windows = std::find(opens_window.begin(), opens_window.end(), true) != opens_window.end();
  world.processes.resize(traces.processes().size());
  for (uint32_t p = 0; p < world.processes.size(); ++p) {
    FillProcess(traces, operations, opens_window, p, &world.processes[p]);
    world.processes[p].partial |= selects || lost;
    if (manifest == nullptr || manifest->ended_detail != "MPI_Finalize") continue;
    for (const auto& [own, call_path] : traces.processes()[p]->map.nodes) {
      if (world.processes[p].nodes.At(own).operation.role == Role::kFinalize) {
        world.processes[p].finalize_path = call_path;
      }
    }
  }
  for (const TraceArchive::Stream& stream : traces.streams()) {
    world.processes[stream.process].locations.push_back(static_cast<uint32_t>(world.locations.size()));
    world.locations.push_back({stream.process, stream.number, stream.location});
  }
  for (const archive::Communicator& communicator : traces.definitions().communicators) {
    world.communicators.push_back({Ranks(communicator.ranks), Ranks(communicator.remote)});
    // Each process has its own MPI_COMM_SELF, where nobody waits.
    if (communicator.name == "MPI_COMM_SELF" && communicator.ranks.empty()) world.communicators.back().ranks = {-1};
    if (communicator.name != "MPI_COMM_WORLD" || world.world_communicator != kNone) continue;
    world.world_communicator = static_cast<uint32_t>(world.communicators.size() - 1);
    world.ranks = static_cast<int32_t>(communicator.ranks.size());
  }
  for (const archive::Window& window : traces.definitions().windows) {
    world.windows.push_back(window.communicator < world.communicators.size() ? window.communicator : kNone);
  }
  if (manifest != nullptr) {
    world.ranks = std::max(world.ranks, std::min(manifest->ranks, kMostUntraced));
    world.clock_error_ns = static_cast<int64_t>(manifest->clock_residual_s * 1e9);
  }
  world.Index();
  return world;
}

std::unique_ptr<EventSource> SourceOf(const TraceArchive& traces, uint32_t location, std::vector<std::string>* damage) {
  return std::make_unique<ArchiveSource>(traces, traces.streams()[location], damage);
}

std::vector<std::unique_ptr<EventSource>> SourcesOf(const TraceArchive& traces, std::vector<std::string>* damage) {
  std::vector<std::unique_ptr<EventSource>> sources;
  for (uint32_t l = 0; l < traces.streams().size(); ++l) sources.push_back(SourceOf(traces, l, damage));
  return sources;
}

}  // namespace epik::replay
