// SPDX-License-Identifier: BSD-3-Clause
// All that an approximation needs of an archive with a trace: its graph, the profile of the whole run, and the cost of
// measuring.
#ifndef EPIK_ANALYSIS_APPROXIMATION_TRACED_RUN_H_
#define EPIK_ANALYSIS_APPROXIMATION_TRACED_RUN_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/approximation/forward.h"
#include "analysis/approximation/marks.h"
#include "analysis/approximation/measurement.h"
#include "analysis/approximation/prices.h"
#include "analysis/approximation/transfers.h"
#include "analysis/approximation/unlogged.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/world.h"
#include "archive/files/manifest.h"
#include "archive/trace/trace_archive.h"

namespace epik::approximation {

struct TracedRun {
  std::string path;  // of the archive
  archive::TraceArchive traces;
  archive::Manifest manifest;
  replay::World world;
  archive::Profile profile;  // the summary, or the profile of the trace if the archive lacks a summary
  std::unique_ptr<graph::Graph> graph;
  Marks marks{0};
  std::vector<uint32_t> leaders;       // by location
  std::vector<uint32_t> columns;       // for each location: its column in the profile
  std::unique_ptr<Unlogged> unlogged;  // null: the trace has every call
  Transfers transfers;
  Prices prices;
  replay::Totals totals;
  replay::Unmatched unmatched;
  std::vector<std::string> problems;  // sentences about data that could not be read or used
  bool has_calls = false;             // if false, nothing can be approximated (EPK_TRACE=msgs)

  Times Without(const Rules& rules) const;  // the run without measurement
  // `change` belongs to rules.bound.
  Times Without(Rules rules, const WithoutMeasurement& change) const;
  // Whether the trace has tasks, or a loop with pieces that other threads could have had (Model::kLiberal).
  bool HasSharedWork() const;
};

// `path`: of an archive. Returns false, with the reason, when the archive has no trace that can be read.
bool OpenTracedRun(const std::string& path, const std::function<void(uint64_t)>& progress, TracedRun* run,
                   std::string* error);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_TRACED_RUN_H_
