// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/open.h"

#include <algorithm>

#include "analysis/critical/path.h"
#include "analysis/drivers/lanes.h"
#include "analysis/drivers/reading.h"
#include "analysis/graph/builder.h"
#include "analysis/replay/archive_world.h"
#include "analysis/replay/condenser.h"
#include "analysis/replay/replay.h"
#include "analysis/timeline/builder.h"
#include "analysis/timeline/draw.h"
#include "analysis/timeline/watcher.h"
#include "archive/directory/archive.h"
#include "archive/files/atomic_file.h"
#include "archive/files/byte_source.h"

namespace epik::timeline {
namespace {

constexpr uint64_t kMostFileBytes = uint64_t{1} << 28;

struct Extent {
  int64_t from = INT64_MAX, to = INT64_MIN;
  uint64_t events = 0;
  uint64_t fingerprint = 0xcbf29ce484222325;  // of the facts that the blocks state about themselves
};

Extent ExtentOf(const archive::TraceArchive& traces) {
  Extent extent;
  const auto mix = [&](uint64_t value) { extent.fingerprint = (extent.fingerprint ^ value) * 0x100000001b3; };
  for (const auto& process : traces.processes()) {
    mix(process->file.bytes());
    for (const epilog::IndexEntry& block : process->file.blocks()) {
      extent.from = std::min(extent.from, process->clock.Ns(block.first_time));
      extent.to = std::max(extent.to, process->clock.Ns(block.last_time));
      extent.events += block.events;
      mix(block.first_time);
      mix(block.last_time + block.events);
    }
  }
  mix(traces.definitions().profile.call_paths.size());
  mix(static_cast<uint64_t>(extent.from));
  return extent;
}

// Numbers of the file must be numbers of this archive.
bool Fits(const Timeline& timeline, const archive::Profile& profile) {
  if (timeline.locations.size() != profile.locations.size()) return false;
  const auto location = [&](uint32_t number) { return number < profile.locations.size() || number == kNoPath; };
  const auto path = [&](uint32_t number) { return number < profile.call_paths.size() || number == kNoPath; };
  for (const Bins& bins : timeline.locations) {
    if (!std::all_of(bins.path.begin(), bins.path.end(), path)) return false;
  }
  for (const Message& m : timeline.messages.items) {
    if (!location(m.from) || !location(m.to)) return false;
  }
  for (const Wait& w : timeline.waits.items) {
    if (!location(w.location) || !location(w.cause) || !path(w.path)) return false;
  }
  for (const Meeting& m : timeline.meetings.items) {
    if (!path(m.path)) return false;
  }
  const auto marks_fit = [&](const auto& marks) {
    return std::all_of(marks.begin(), marks.end(),
                       [&](const auto& mark) { return mark.location < profile.locations.size(); });
  };
  if (!marks_fit(timeline.critical) || !marks_fit(timeline.markers) || !marks_fit(timeline.curves)) return false;
  return true;
}

// Stretches that are too short for any screen become a part of the one before.
void FillCritical(const graph::Graph& graph, const replay::World& world, Timeline* timeline) {
  constexpr int64_t kMostStretches = 200'000;
  const critical::Path path = critical::FindPath(graph, world);
  const int64_t least = (path.end - path.begin) / kMostStretches;
  for (const graph::Slice& slice : path.slices) {
    const uint32_t column = world.locations[slice.location].column;
    std::vector<Stretch>* all = &timeline->critical;
    const bool joins = !all->empty() && (all->back().location == column || slice.to - slice.from < least);
    if (joins) {
      all->back().to = slice.to;
    } else {
      all->push_back({column, slice.from, slice.to});
    }
  }
}

void Build(const std::string& path, const Extent& extent, const std::function<void(uint64_t)>& progress,
           Opened* opened) {
  archive::Archive archive;
  std::string none;
  const bool has_manifest = archive::Open(path, &archive, &none) && archive.has_manifest;
  const replay::World world = replay::WorldOf(opened->traces, path, has_manifest ? &archive.manifest : nullptr);
  const archive::Profile& profile = opened->traces.definitions().profile;
  replay::MeasuredTime time(&world);
  const std::vector<Kind> kinds = KindsOf(profile);
  Builder builder(&world, profile.locations.size(), extent.from, extent.to, extent.events);
  graph::Graph graph(world.locations.size());
  graph::GraphBuilder graph_builder(&world, &graph);
  std::vector<replay::Observer*> observers = {&builder};
  const bool has_path = world.locations.size() > 1;
  if (has_path) observers.push_back(&graph_builder);
  Watcher watcher(&opened->traces, &world, &time);
  // The times and values are taken while events are read; replay only needs the calls that wait.
  std::vector<std::unique_ptr<replay::EventSource>> sources;
  std::vector<std::vector<std::string>> damage(world.locations.size());
  for (uint32_t l = 0; l < world.locations.size(); ++l) {
    Charger charger(&world, l, &time, &kinds, builder.BinsOf(l), LongFrom(extent.events), builder.MostLongCalls(),
                    builder.LongCallsOf(l));
    auto watched = watcher.Watch(l, std::move(charger), replay::SourceOf(opened->traces, l, &damage[l]));
    sources.push_back(std::make_unique<replay::Condenser>(std::move(watched), &world, l, &time));
  }
  {
    drivers::Lanes lanes(std::move(sources), drivers::ThreadsFor(opened->traces) - 1);
    replay::Replay replay(&world, lanes.Sources(), &time, observers);
    replay.Run(progress);
  }
  for (const auto& some : damage) opened->problems.insert(opened->problems.end(), some.begin(), some.end());
  opened->timeline = builder.Finish();
  const bool by_itself = !has_manifest || archive.manifest.ended == "exit" || archive.manifest.ended == "_exit" ||
                         archive.manifest.ended == "exec" || archive.manifest.ended == "running";
  watcher.Finish(!by_itself, &opened->timeline);
  if (has_path) {
    graph_builder.Finish();
    FillCritical(graph, world, &opened->timeline);
  }
}

}  // namespace

bool Open(const std::string& path, const std::function<void(uint64_t)>& progress, Opened* opened, std::string* error) {
  if (!opened->traces.Open(path, error)) return false;
  opened->problems = opened->traces.problems();
  const Extent extent = ExtentOf(opened->traces);
  if (extent.events == 0) {
    *error = path + ": its trace has no events";
    return false;
  }
  const std::string file = path + "/" + kFileName;
  std::string bytes, none;
  const bool known = archive::ReadFile(file, kMostFileBytes, &bytes, &none) &&
                     Unpack(bytes, extent.fingerprint, &opened->timeline) &&
                     Fits(opened->timeline, opened->traces.definitions().profile);
  if (known) return true;
  Build(path, extent, progress, opened);
  const std::string packed = Pack(opened->timeline, extent.fingerprint);
  std::string why;
  // The archive belongs to another user, or the disk is full: the next `epk view` makes the file again.
  if (packed.empty() || !archive::WriteFileAtomically(file, packed, &why)) {
    opened->problems.push_back("the timeline is not kept: " + (why.empty() ? "out of memory" : why));
  }
  return true;
}

}  // namespace epik::timeline
