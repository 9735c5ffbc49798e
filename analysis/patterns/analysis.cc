// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/analysis.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/causes/delays.h"
#include "analysis/critical/path.h"
#include "analysis/critical/profile.h"
#include "analysis/critical/segments.h"
#include "analysis/findings/cause_profile.h"
#include "analysis/findings/words.h"
#include "analysis/graph/builder.h"
#include "analysis/patterns/pattern.h"
#include "analysis/patterns/tell_distribution.h"
#include "analysis/patterns/wait_profile.h"
#include "analysis/replay/archive_world.h"
#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/trace_profile.h"

namespace epik::patterns {

using nlohmann::ordered_json;
using replay::Kind;
using replay::Reason;

namespace {

constexpr int kVersion = 1;

template <typename Use>
void ForUnmatched(const replay::Unmatched& unmatched, const Use& use) {
  for (size_t k = 0; k < replay::kKindsOfUnmatched; ++k) {
    for (size_t r = 0; r < replay::kReasons; ++r) {
      const auto kind = static_cast<Kind>(k);
      const auto reason = static_cast<Reason>(r);
      if (unmatched.Of(kind, reason) != 0) use(kind, reason, unmatched.Of(kind, reason));
    }
  }
}

ordered_json WaitsJson(const epitome::Profile& profile) {
  ordered_json rows = ordered_json::array();
  const auto& all = AllPatterns();
  std::vector<double> seconds(all.size());
  std::vector<uint64_t> instances(all.size());
  for (const Wait& wait : WaitsOf(profile)) {
    seconds[wait.pattern] += wait.seconds;
    instances[wait.pattern] += wait.instances;
  }
  for (size_t p = 0; p < all.size(); ++p) {
    rows.push_back({{"pattern", all[p]->name}, {"seconds", seconds[p]}, {"instances", instances[p]}});
  }
  return rows;
}

std::string ToJson(const Analysis& analysis) {
  const replay::Totals& totals = analysis.totals;
  ordered_json json;
  json["analysis_version"] = kVersion;
  json["trace"] = analysis.selection;
  json["events"] = totals.events;
  json["messages"] = totals.messages;
  json["collectives"] = totals.collectives;
  json["gaps"] = totals.gaps;
  json["matched_by_order"] = totals.by_order;
  json["clock_violations"] = {{"count", totals.violations},
                              {"worst_s", static_cast<double>(totals.worst_violation_ns) * 1e-9}};
  json["unmatched"] = ordered_json::array();
  ForUnmatched(analysis.unmatched, [&](Kind kind, Reason reason, uint64_t count) {
    json["unmatched"].push_back({{"kind", NameOf(kind)}, {"reason", NameOf(reason)}, {"count", count}});
  });
  json["waits"] = WaitsJson(analysis.profile);
  json["problems"] = analysis.problems;
  std::string text = json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  text.resize(text.size() - 2);  // "\n}"
  return text + ",\n" + findings::ToJson(analysis.findings) + "\n}\n";
}

// What the graph of the trace says of causes, in words and as metrics.
bool Explain(const archive::TraceArchive& traces, const replay::World& world, const graph::Graph& graph,
             replay::TimeModel* time, Analysis* analysis, std::string* error) {
  const causes::Delays delays = causes::FindDelays(graph);
  findings::AddCauses(delays, world, &analysis->profile);
  findings::TellCauses(delays, world, analysis->profile, &analysis->findings);
  const critical::Path path = critical::FindPath(graph, world);
  if (!critical::IsWhole(path) || delays.Cost() != delays.waited_ns) {
    *error = "the analysis contradicts itself: the critical path has a hole, or costs are not what was waited";
    return false;
  }
  findings::AddCritical(critical::ProfileOf(graph, path), world, &analysis->profile);
  constexpr int64_t kMostSegments = 20000;
  std::vector<std::string> said_already;
  std::vector<critical::Segment> segments =
      critical::SegmentsOf(path, world, replay::SourcesOf(traces, &said_already), time,
                           std::max<int64_t>((path.end - path.begin) / kMostSegments, 1));
  critical::Shorten(&segments, kMostSegments);
  findings::TellCritical(path, segments, world, analysis->profile, &analysis->findings);
  return true;
}

}  // namespace

bool Analyze(const std::string& path, const std::function<void(uint64_t)>& progress, Analysis* analysis,
             std::string* error) {
  archive::Archive archive;
  archive::TraceArchive traces;
  if (!archive::Open(path, &archive, error) || !traces.Open(path, error)) return false;
  analysis->selection = replay::SelectionOf(path);
  std::vector<std::string> damage = traces.problems();
  const replay::World world = replay::WorldOf(traces, path, archive.has_manifest ? &archive.manifest : nullptr);
  Severities severities;
  const std::vector<std::unique_ptr<Pattern>> patterns = MakePatterns(&severities);
  std::vector<replay::Observer*> observers;
  for (const auto& pattern : patterns) observers.push_back(pattern.get());
  replay::MeasuredTime time(&world);
  graph::Graph graph(world.locations.size());
  graph::GraphBuilder builder(&world, &time, &graph);
  observers.push_back(&builder);
  replay::Replay replay(&world, replay::SourcesOf(traces, &damage), &time, observers);
  replay.Run(progress);
  builder.Finish();
  analysis->totals = replay.totals();
  analysis->unmatched = replay.unmatched();
  analysis->problems = damage;
  std::vector<std::string> seen_already;
  if (!archive::ProfileOfTrace(traces, &analysis->profile, &seen_already, error)) return false;
  AddWaits(severities, world, &analysis->profile);
  analysis->findings.distribution = TellDistribution(severities, analysis->profile);
  return Explain(traces, world, graph, &time, analysis, error);
}

bool WriteAnalysis(const std::string& path, const Analysis& analysis, std::string* error) {
  return archive::WriteCubex(path + "/" + kProfileName, analysis.profile, {}, error) &&
         archive::WriteFileAtomically(path + "/" + kAnalysisName, ToJson(analysis), error);
}

std::vector<std::string> SayUnmatched(const Analysis& analysis) {
  std::vector<std::string> said;
  ForUnmatched(analysis.unmatched, [&](Kind kind, Reason reason, uint64_t count) {
    said.push_back("unmatched: " + std::to_string(count) + " " + NameOf(kind) + (count == 1 ? "" : "s") + ": " +
                   Explain(reason));
  });
  return said;
}

}  // namespace epik::patterns
