// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/analysis.h"

#include <algorithm>
#include <future>
#include <nlohmann/json.hpp>

#include "analysis/approximation/unlogged.h"
#include "analysis/causes/delays.h"
#include "analysis/clocks/order.h"
#include "analysis/clocks/repair.h"
#include "analysis/critical/path.h"
#include "analysis/critical/profile.h"
#include "analysis/critical/segments.h"
#include "analysis/findings/cause_profile.h"
#include "analysis/findings/words.h"
#include "analysis/graph/builder.h"
#include "analysis/patterns/pair_counts.h"
#include "analysis/patterns/patterns.h"
#include "analysis/patterns/slow_links.h"
#include "analysis/patterns/states_of_causes.h"
#include "analysis/patterns/tell_distribution.h"
#include "analysis/patterns/tell_instances.h"
#include "analysis/replay/archive_world.h"
#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/trace_profile.h"
#include "config/trace_selection.h"

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

ordered_json WaitsJson(const archive::Profile& profile, const std::vector<int64_t>& within_error_ns) {
  ordered_json rows = ordered_json::array();
  const auto& all = AllPatterns();
  std::vector<double> seconds(all.size());
  std::vector<uint64_t> instances(all.size());
  for (const Wait& wait : WaitsOf(profile)) {
    seconds[wait.pattern] += wait.seconds;
    instances[wait.pattern] += wait.instances;
  }
  for (size_t p = 0; p < all.size(); ++p) {
    const int64_t within = p < within_error_ns.size() ? within_error_ns[p] : 0;
    rows.push_back({{"pattern", all[p]->name},
                    {"seconds", seconds[p]},
                    {"instances", instances[p]},
                    {"within_clock_error_s", static_cast<double>(within) * 1e-9}});
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
  const ClockFacts& clocks = analysis.clocks;
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  json["clock_violations"] = {{"count", clocks.Violations()},
                              {"worst_s", seconds(clocks.worst_ns)},
                              {"messages", clocks.messages},
                              {"collectives", clocks.collectives},
                              {"openmp", clocks.teams},
                              {"one_sided", clocks.windows},
                              {"largest_correction_s", seconds(clocks.largest_correction_ns)},
                              {"left", clocks.left},
                              {"error_s", seconds(clocks.error_ns)}};
  json["unmatched"] = ordered_json::array();
  ForUnmatched(analysis.unmatched, [&](Kind kind, Reason reason, uint64_t count) {
    json["unmatched"].push_back({{"kind", NameOf(kind)}, {"reason", NameOf(reason)}, {"count", count}});
  });
  json["unplaced"] = analysis.unplaced;
  json["waits"] = WaitsJson(analysis.profile, analysis.within_error_ns);
  json["sums"] = {{"waited_s", analysis.sums.waited_s}, {"beyond_calls_s", analysis.sums.beyond_calls_s}};
  json["problems"] = analysis.problems;
  std::string text = json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  text.resize(text.size() - 2);  // "\n}"
  return text + ",\n" + findings::ToJson(analysis.findings) + "\n}\n";
}

// The summary of the run has all counters; a trace has those of its own calls. Without a summary, nothing is known.
archive::Profile SummaryOf(const archive::Archive& archive) {
  archive::Profile summary;
  std::string missing;
  if (!archive.ReadProfile(&summary, &missing)) summary = archive::Profile();
  return summary;
}

// Parts of the time in the trace that are calls which it lacks. Empty: it lacks none, or no summary has its call paths.
graph::Mixtures MixturesOf(const archive::Profile& summary, const archive::Profile& of_trace,
                           const replay::World& world, const graph::Graph& graph) {
  if (summary.call_paths != of_trace.call_paths || summary.locations.size() != of_trace.locations.size()) return {};
  std::vector<uint32_t> columns;
  for (const replay::Location& location : world.locations) columns.push_back(location.column);
  return approximation::Unlogged(graph, &summary, std::move(columns)).Mix();
}

// Finds causes and the critical path in the graph, and tells them in words and as metrics.
bool Explain(const archive::Profile& summary, const replay::World& world, const graph::Graph& graph,
             const Severities& severities, drivers::Reading* reading, const archive::TimeLimit& limit,
             Analysis* analysis, std::string* error) {
  limit.Check();
  const graph::Mixtures mixtures = MixturesOf(summary, analysis->profile, world, graph);
  analysis->findings.by_summary = !mixtures.IsEmpty();
  const causes::Delays delays = causes::FindDelays(graph, mixtures, limit);
  const findings::Counted counted(summary, analysis->profile);
  findings::AddCauses(delays, world, &analysis->profile);
  const auto state_of = [&](const causes::Group& waits) -> findings::WaitState {
    const Severities::Row* row = StateOf(severities, waits);
    if (row == nullptr) return {};
    return {AllPatterns()[row->pattern]->name, row->instances};
  };
  findings::TellCauses(delays, world, analysis->profile, counted, mixtures, state_of, &analysis->findings);
  analysis->findings.instances = TellInstances(severities, graph, world, analysis->profile);
  const critical::Path path = critical::FindPath(graph, world, limit);
  if (!critical::IsWhole(path) || !delays.IsWhole()) {
    *error = "the analysis contradicts itself: the critical path has a hole, or costs are not what was waited";
    return false;
  }
  const std::vector<critical::ProfileRow> rows = critical::ProfileOf(graph, path, mixtures, limit);
  findings::AddCritical(rows, world, &analysis->profile);
  findings::TellPlaces(rows, world, analysis->profile, &analysis->findings);
  constexpr int64_t kMostSegments = 20000;
  std::vector<critical::Segment> segments =
      reading->SegmentsOf(path, std::max<int64_t>((path.end - path.begin) / kMostSegments, 1));
  critical::Shorten(&segments, kMostSegments);
  findings::TellCritical(path, segments, world, analysis->profile, &analysis->findings);
  return true;
}

// One replay with all that look on.
struct Replayed {
  Replayed(const archive::TraceArchive& traces, const replay::World& its_world, const clocks::Corrections& corrections,
           const drivers::Workers& workers, drivers::Gathering gathering)
      : world(its_world),
        time(&world, &corrections),
        graph(world.locations.size()),
        builder(&world, &graph),
        violations(&world),
        slow_links(&world),
        severities(world.clock_error_ns),
        patterns(MakePatterns(&severities)),
        pairs(&severities),
        reading(traces, world, corrections, workers, gathering) {}

  void Run(const std::function<void(uint64_t)>& progress, const archive::TimeLimit& limit, Analysis* analysis) {
    std::vector<replay::Observer*> observers;
    for (const auto& pattern : patterns) observers.push_back(pattern.get());
    observers.push_back(&builder);
    observers.push_back(&violations);
    observers.push_back(&slow_links);
    observers.push_back(&pairs);
    replay::Replay replay(&world, reading.Sources(), &time, observers);
    replay.Run(progress, limit);
    builder.Finish();
    analysis->totals = replay.totals();
    analysis->unmatched = replay.unmatched();
    analysis->unplaced = builder.unplaced();
    analysis->problems = reading.Damage();
  }

  const replay::World& world;
  clocks::RepairedTime time;
  graph::Graph graph;
  graph::GraphBuilder builder;
  clocks::Violations violations;
  SlowLinks slow_links;
  Severities severities;
  std::vector<std::unique_ptr<Pattern>> patterns;
  PairCounts pairs;
  drivers::Reading reading;
};

// Whether the trace has the calls around what it logs.
bool HasCalls(const std::string& selection) {
  config::TraceSelection trace;
  return !config::ParseTrace(selection, &trace) || !trace.msgs || trace.all || trace.comm;
}

void TakeViolations(const clocks::Violations& violations, const replay::World& world, ClockFacts* facts) {
  facts->messages = violations.Of(clocks::Kind::kMessage);
  facts->collectives = violations.Of(clocks::Kind::kCollective);
  facts->teams = violations.Of(clocks::Kind::kTeam);
  facts->windows = violations.Of(clocks::Kind::kWindow);
  facts->worst_ns = violations.worst_ns();
  facts->error_ns = world.clock_error_ns;
}

}  // namespace

bool Analyze(const std::string& path, const drivers::Workers& asked, const std::function<void(uint64_t)>& progress,
             Analysis* analysis, std::string* error) {
  archive::Archive archive;
  archive::TraceArchive traces;
  if (!archive::Open(path, &archive, error) || !traces.Open(path, error)) return false;
  analysis->selection = replay::SelectionOf(path);
  drivers::Workers workers = asked;
  if (workers.threads == 0) workers.threads = drivers::ThreadsFor(traces);
  // The profile is made of the same events, whatever replay finds in them. Idle threads need those of all threads of a
  // process in the order of time. While others read for replay, this thread has time for them.
  const bool has_time = workers.threads > 1 || workers.helpers != nullptr;
  const auto find_limited = [&] {
    return archive::LimitedParallelism(traces, std::max(1u, workers.threads / 2), workers.limit);
  };
  auto limited =
      std::async(has_time ? std::launch::async | std::launch::deferred : std::launch::deferred, find_limited);
  const replay::World world = replay::WorldOf(traces, path, archive.has_manifest ? &archive.manifest : nullptr);
  clocks::Corrections corrections;
  auto replayed = std::make_unique<Replayed>(traces, world, corrections, workers, drivers::Gathering::kTallies);
  replayed->Run(progress, workers.limit, analysis);
  // The summary may have waits (EPK_WAITS), which an analysis of nothing would hide.
  if (analysis->totals.events == 0) {
    *error = path + ": the trace has no events: it was off, or EPK_TRACE=" + analysis->selection + " selected nothing";
    return false;
  }
  const std::vector<std::string> tallies = replayed->reading.Tallies();
  TakeViolations(replayed->violations, world, &analysis->clocks);
  if (analysis->clocks.Violations() > 0) {
    replayed.reset();
    clocks::Repair repair(&world);
    drivers::Reading reading(traces, world, {}, workers, drivers::Gathering::kNothing);
    replay::MeasuredTime measured(&world);
    replay::Replay(&world, reading.Sources(), &measured, {&repair}).Run(progress, workers.limit);
    corrections = repair.Find(workers.limit);
    replayed = std::make_unique<Replayed>(traces, world, corrections, workers, drivers::Gathering::kNothing);
    replayed->Run(progress, workers.limit, analysis);
    analysis->clocks.left = replayed->violations.Total();
    analysis->clocks.largest_correction_ns = corrections.largest();
  }
  analysis->problems.insert(analysis->problems.begin(), traces.problems().begin(), traces.problems().end());
  if (!archive::ProfileOfTallies(traces, tallies, limited.get(), &analysis->profile, error, workers.limit)) {
    return false;
  }
  analysis->sums = AddWaits(replayed->severities, world, HasCalls(analysis->selection), &analysis->profile);
  AddCounts(replayed->severities, world, &analysis->profile);
  analysis->findings.distribution = TellDistribution(replayed->severities, analysis->profile);
  analysis->findings.links = replayed->slow_links.Find();
  analysis->within_error_ns = replayed->severities.within_error_ns();
  return Explain(SummaryOf(archive), world, replayed->graph, replayed->severities, &replayed->reading, workers.limit,
                 analysis, error);
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
