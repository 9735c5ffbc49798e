// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/analysis.h"

#include <nlohmann/json.hpp>

#include "analysis/patterns/pattern.h"
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
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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
  replay::Replay replay(&world, replay::SourcesOf(traces, &damage), &time, observers);
  replay.Run(progress);
  analysis->totals = replay.totals();
  analysis->unmatched = replay.unmatched();
  analysis->problems = damage;
  std::vector<std::string> seen_already;
  if (!archive::ProfileOfTrace(traces, &analysis->profile, &seen_already, error)) return false;
  AddWaits(severities, world, &analysis->profile);
  return true;
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
