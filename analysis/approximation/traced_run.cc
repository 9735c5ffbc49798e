// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/traced_run.h"

#include "analysis/approximation/liberal.h"
#include "analysis/approximation/measurement.h"
#include "analysis/graph/builder.h"
#include "analysis/replay/archive_world.h"
#include "archive/directory/archive.h"
#include "archive/trace_profile/trace_profile.h"

namespace epik::approximation {

using graph::Point;
using graph::PointKind;

namespace {

// Call paths have the numbers of the trace's definitions. A summary of another run has other numbers.
bool ReadProfile(const archive::Archive& archive, TracedRun* run, std::string* error) {
  std::string why;
  const archive::Profile& definitions = run->traces.definitions().profile;
  if (archive.ReadProfile(&run->profile, &why) && run->profile.call_paths == definitions.call_paths &&
      run->profile.locations.size() == definitions.locations.size()) {
    run->unlogged = std::make_unique<Unlogged>(*run->graph, &run->profile, run->columns);
    run->unlogged->PlacePolls(run->graph.get());
    run->unlogged->Place(*run->graph);
    return true;
  }
  // A profile of the trace has the numbers of the trace. It lacks the calls that were not logged, so `unlogged` stays
  // null.
  run->problems.push_back("the archive has no summary of the same run: calls that were not logged are not known");
  return archive::ProfileOfTrace(run->traces, &run->profile, &run->problems, error);
}

bool HasCalls(const graph::Graph& graph) {
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      for (const graph::Cell& cell : graph.Segment(graph.At({l, p}))) {
        if (cell.path != graph::kNone) return true;
      }
    }
  }
  return false;
}

}  // namespace

Times TracedRun::Without(const Rules& rules) const {
  return Without(rules, WithoutMeasurement(&prices, rules.bound, profile, unlogged.get()));
}

Times TracedRun::Without(Rules rules, const WithoutMeasurement& change) const {
  // The rules keep a pointer only: the object must live until Forward has ended.
  std::unique_ptr<Rescheduled> rescheduled;
  if (rules.model == Model::kLiberal) {
    rescheduled = std::make_unique<Rescheduled>(*graph, change, SharedWork(profile), rules.bound);
    rules.rescheduled = rescheduled.get();
  }
  return Forward(*graph, leaders, transfers, change, rules);
}

bool TracedRun::HasSharedWork() const {
  const std::vector<Shared> shared = SharedWork(profile);
  for (uint32_t l = 0; l < graph->locations(); ++l) {
    for (uint32_t p = 0; p < graph->size(l); ++p) {
      for (const graph::Cell& cell : graph->Segment(graph->At({l, p}))) {
        if (cell.path < shared.size() && shared[cell.path] != Shared::kNo) return true;
      }
    }
  }
  return false;
}

bool OpenTracedRun(const std::string& path, const std::function<void(uint64_t)>& progress, TracedRun* run,
                   std::string* error) {
  archive::Archive archive;
  if (!archive::Open(path, &archive, error) || !run->traces.Open(archive.path, error)) return false;
  run->path = archive.path;
  run->manifest = archive.manifest;
  run->problems = run->traces.problems();
  if (const uint64_t lost = run->manifest.trace.lost; lost > 0) {
    run->problems.push_back("the trace has lost " + std::to_string(lost) + " events: what they were is not known");
  }
  run->world = replay::WorldOf(run->traces, archive.path, archive.has_manifest ? &archive.manifest : nullptr);
  run->graph = std::make_unique<graph::Graph>(run->world.locations.size());
  for (const replay::Location& location : run->world.locations) {
    run->leaders.push_back(run->world.processes[location.process].locations.front());
    run->columns.push_back(location.column);
  }
  // The graph gets the measured times, even if they contradict each other: Forward restores happened-before.
  replay::MeasuredTime time(&run->world);
  graph::GraphBuilder builder(&run->world, run->graph.get());
  run->marks = Marks(run->world.locations.size());
  std::vector<std::unique_ptr<replay::EventSource>> sources = replay::SourcesOf(run->traces, &run->problems);
  for (uint32_t l = 0; l < sources.size(); ++l) {
    // Events pass the marks on their way into the replay: a test of requests must be known before the builder gets it.
    sources[l] = run->marks.Watch(l, &run->world, run->graph.get(), &builder, std::move(sources[l]));
  }
  replay::Replay replay(&run->world, std::move(sources), &time, {&builder});
  replay.Run(progress);
  builder.Finish();
  run->totals = replay.totals();
  run->unmatched = replay.unmatched();
  run->has_calls = HasCalls(*run->graph);
  const std::string missing = replay::WhatWasNotLogged(replay::SelectionOf(archive.path));
  if (run->world.locations.size() > 1 && !missing.empty()) run->problems.push_back(missing);
  // The graph must be complete here: the visits in it are compared with those of the summary. Prices need the profile.
  if (!ReadProfile(archive, run, error)) return false;
  run->prices = Prices(run->profile, run->manifest);
  run->transfers = Transfers(*run->graph);
  return true;
}

}  // namespace epik::approximation
