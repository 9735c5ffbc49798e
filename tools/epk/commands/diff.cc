// SPDX-License-Identifier: BSD-3-Clause
// epk diff: compares two runs, or two sets of runs.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/algebra/analysed.h"
#include "analysis/algebra/store.h"
#include "archive/profile/absence.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/trace_profile.h"
#include "report/comparison/perturbation.h"
#include "report/comparison/show.h"
#include "report/views/views.h"
#include "tools/epk/calibrated.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "view/number.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

constexpr char kDiffManual[] = R"(
SYNOPSIS
    epk diff [OPTION]... BEFORE AFTER
    epk diff [OPTION]... BEFORE... -- AFTER...

DESCRIPTION
  Shows what became slower and what faster. The wall time comes first. Call paths follow, worst first: exclusive time
  (or `--metric`) before and after, the change, and the number of visits. Times of call paths are sums over all
  threads of all processes; runs of another size get a warning. `--metric wall` is the wall time alone.

  When `epk analyze` has looked at all of them, wait states and their causes are compared as well, and `--metric` and
  `--fail-if` know their names: `mpi_latesender > 5%`.

  Runs of one program differ. With several runs on a side, means and standard deviations are shown, the probability p
  that chance alone makes such a difference, and a star where the difference is significant: the rest may be noise.
  Three runs on each side are a good start.

  `--fail-if 'METRIC:REGION > VALUE'` is for CI: the status is 1 when the condition holds. It compares all that REGION
  calls, or the whole program when there is no `:REGION`; VALUE is a change in percent (`5%`), in seconds (`20ms`), or
  in the unit of the metric. `<`, `>=` and `<=` work as well, `*` and `?` match in names. With several runs, a change
  that is not significant does not fail. A counter must have been measured in every run (EPK_METRICS, EPIK_METRIC):
  a run that lacks it tells nothing about a change. Neither does one where the figure is infinite or no number. A region
  may be new, or gone.

  `-o` writes the difference, AFTER less BEFORE, as a profile; with several runs, it is the difference of their means.
  Tools that read CUBE show it. (CUBE's own cube_diff subtracts the other way round.)

  When `epk compensate BEFORE -o AFTER` wrote AFTER, it also shows the cost of measuring by call path: what measuring
  took itself, and how long others waited because of it.

  The inputs are archives or .cubex files, also of Score-P and Scalasca. docs/algebra.md says what counts as the same
  call path in two files.

EXAMPLES
    epk diff epik_solver_4x2_sum epik_solver_4x2_sum.1
    epk diff old1 old2 old3 -- new1 new2 new3
    epk diff base.cubex new.cubex --fail-if 'time:solve > 5%' --format markdown
    epk diff base.cubex new.cubex -o change.cubex
    epk diff epik_solver_4x1_trace epik_solver_bare_lower

EXIT STATUS
  0 when all was compared, 1 when a condition of --fail-if holds or an input is at fault, 2 for wrong usage: also a
  metric or region that no run has, and a counter of --fail-if that one of the runs lacks, or that is infinite or no
  number there.

SEE ALSO
  epk-mean(1), epk-cut(1), epk-report(1)
)";

struct DiffOptions {
  std::vector<std::string> archives;
  size_t first_after = 0;  // of archives: the first after "--"; 0: there was none
  std::string metric = "time", format = "text", output;
  std::vector<std::string> conditions;
  report::comparison::View view;
  bool ascii = false, format_given = false;
};

void Split(const DiffOptions& options, std::vector<std::string>* before, std::vector<std::string>* after) {
  const std::vector<std::string>& all = options.archives;
  if (options.first_after == 0 && all.size() != 2) {
    throw UsageError(all.size() < 2 ? "name two archives: before and after"
                                    : "name two archives, or put -- between the runs before and those after");
  }
  const size_t first = options.first_after == 0 ? 1 : options.first_after;
  before->assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
  after->assign(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  for (const std::string& word : *after) {
    if (word.starts_with("--")) throw UsageError("options go before the --, and " + word + " comes after it");
  }
  if (after->empty()) throw UsageError("no archive after --");
}

report::comparison::View MakeView(const DiffOptions& options) {
  report::comparison::View view = options.view;
  view.terminal = view::DetectTerminal(STDOUT_FILENO);
  if (options.ascii) view.terminal.unicode = false;
  return view;
}

// One operand for each side; several runs become their mean.
algebra::Operand Side(const std::vector<algebra::Operand>& runs, algebra::Inputs* inputs) {
  if (runs.size() == 1) return runs[0];
  std::string error;
  const algebra::Operand mean = Combine(algebra::Operation::kMean, runs, &inputs->notes, &error);
  if (mean == nullptr) throw Fault(error);
  return mean;
}

void StoreDifference(const DiffOptions& options, const algebra::Inputs& before, const algebra::Inputs& after) {
  algebra::Inputs all = before;
  all.paths.insert(all.paths.end(), after.paths.begin(), after.paths.end());
  all.archives.insert(all.archives.end(), after.archives.begin(), after.archives.end());
  const std::vector<algebra::Operand> sides = {Side(before.operands, &all), Side(after.operands, &all)};
  std::string error, command = "diff of";
  const algebra::Operand difference = Combine(algebra::Operation::kDifference, sides, &all.notes, &error);
  if (difference == nullptr) throw Fault(error);
  for (const std::string& path : before.paths) command += " " + path;
  command += " --";
  for (const std::string& path : after.paths) command += " " + path;
  if (!algebra::Store(*difference, command, all, options.output, &error)) throw Fault(error);
}

std::vector<algebra::Condition> ParseConditions(const std::vector<std::string>& texts) {
  std::vector<algebra::Condition> conditions(texts.size());
  std::string error;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!algebra::ParseCondition(texts[i], &conditions[i], &error)) throw UsageError("--fail-if " + error);
  }
  return conditions;
}

// The wall times of the manifests; empty when an input has no wall time, or was computed from other runs.
std::vector<double> WallTimes(const algebra::Inputs& before, const algebra::Inputs& after) {
  std::vector<double> walls;
  for (const algebra::Inputs* inputs : {&before, &after}) {
    for (const archive::Archive& archive : inputs->archives) {
      if (!archive.has_manifest || archive.manifest.ended.empty()) return {};
      walls.push_back(archive.manifest.wall_seconds);
    }
  }
  return walls;
}

// Returns a profile of the archive's trace, or the summary if there is no trace of the same call paths.
archive::Profile TimesOfTrace(const archive::Archive& archive, const archive::Profile& summary) {
  archive::TraceArchive traces;
  archive::Profile times;
  std::vector<std::string> ignored;
  std::string error;
  const bool there = traces.Open(archive.path, &error) && archive::ProfileOfTrace(traces, &times, &ignored, &error);
  return there && times.call_paths == summary.call_paths && times.locations.size() == summary.locations.size()
             ? times
             : summary;
}

// A run, and the same run without measurement as `epk compensate` computed it from the trace.
struct Approximated {
  archive::Profile measured, traced, without;  // the summary, what the trace has of it, and what was computed
};

// Returns null if the two sides are something else.
std::unique_ptr<Approximated> FindApproximated(const algebra::Inputs& before, const algebra::Inputs& after) {
  if (before.archives.size() != 1 || after.archives.size() != 1) return nullptr;
  const archive::Archive &measured = before.archives[0], &computed = after.archives[0];
  const archive::Manifest::Approximation& approximation = computed.manifest.approximation;
  const bool same = approximation.there && approximation.change == "without measurement" &&
                    std::filesystem::path(measured.path).filename() == approximation.of;
  auto both = std::make_unique<Approximated>();
  std::string error;
  if (!same || !measured.ReadProfile(&both->measured, &error) || !computed.ReadProfile(&both->without, &error)) {
    return nullptr;
  }
  both->traced = TimesOfTrace(measured, both->measured);
  return both;
}

double VisitsOf(const archive::Profile& profile) {
  const uint32_t visits = profile.FindMetric("visits");
  double sum = 0;
  for (uint32_t p = 0; visits != archive::kNone && p < profile.call_paths.size(); ++p) {
    for (uint32_t l = 0; l < profile.locations.size(); ++l) sum += profile.values[visits].Real(p, l);
  }
  return sum;
}

// The computed run has the functions of the trace only. Compared with the summary, all others would be gone.
void CompareAsTraced(const Approximated& both, algebra::Inputs* before) {
  if (VisitsOf(both.traced) == VisitsOf(both.measured)) return;
  before->operands = {algebra::FromProfile(both.traced)};
  TellUser("diff", before->paths[0] +
                       " is compared as its trace has it: a function that the trace lacks counts in its " +
                       "caller on both sides");
}

approximation::Perturbation PerturbationOf(const Approximated& both, const archive::Manifest& measured,
                                           const std::string& of_bound) {
  const auto bound = of_bound == "lower"   ? approximation::Bound::kLower
                     : of_bound == "upper" ? approximation::Bound::kUpper
                                           : approximation::Bound::kEstimate;
  archive::Manifest manifest = measured;
  TakeCosts("diff", &manifest);
  const approximation::Prices prices(both.measured, manifest);
  return approximation::PerturbationOf(both.measured, both.traced, both.without, prices, bound);
}

// Whether the metric could not be read anywhere in the run. An operand's definitions have no values, so the operand is
// asked (Profile::IsMissing looks at the values of the profile).
bool IsMissing(const algebra::Experiment& run, uint32_t metric) {
  const archive::Profile& profile = run.definitions();
  if (!archive::SaysMissing(profile.metrics[metric].description)) return false;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    if (run.HasRow(metric, p)) return false;
  }
  return true;
}

// The counters that some runs have and one lacks: by name, a sentence about the first run that lacks it. Other metrics,
// such as bytes of messages, are left out of a profile where they are 0.
using LackedCounters = std::map<std::string, std::string>;
LackedCounters FindLackedCounters(const algebra::Inputs& before, const algebra::Inputs& after) {
  std::set<std::string> names;
  const auto for_each = [&](const auto& take) {
    for (const algebra::Inputs* inputs : {&before, &after}) {
      for (size_t i = 0; i < inputs->operands.size(); ++i) take(*inputs->operands[i], inputs->paths[i]);
    }
  };
  for_each([&](const algebra::Experiment& run, const std::string&) {
    const archive::Profile& profile = run.definitions();
    for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
      if (report::IsCounter(profile, m)) names.insert(profile.metrics[m].unique_name);
    }
  });
  LackedCounters lacked;
  for_each([&](const algebra::Experiment& run, const std::string& path) {
    const archive::Profile& profile = run.definitions();
    for (const std::string& name : names) {
      const uint32_t metric = profile.FindMetric(name);
      if (metric != archive::kNone && !IsMissing(run, metric)) continue;
      const std::string why =
          metric == archive::kNone ? "" : ": " + archive::ReadAbsence(profile.metrics[metric].description).why;
      lacked.emplace(name, path + " has no " + name + why);
    }
  });
  return lacked;
}

// Status 1 means a regression. A name that does not exist is wrong usage, so that CI can tell the two apart. So is a
// counter that a run lacks: a job that lost its counter must not stay green.
void CheckNames(const algebra::Runs& runs, const std::string& metric, const std::vector<algebra::Condition>& conditions,
                const LackedCounters& lacked) {
  std::string error;
  if (!CheckMetric(runs, metric, &error)) throw UsageError("--metric: " + error);
  for (const algebra::Condition& condition : conditions) {
    if (!algebra::CheckNames(condition, runs, &error)) throw UsageError("--fail-if " + error);
    const auto found = lacked.find(condition.metric);
    if (found == lacked.end()) continue;
    throw UsageError("--fail-if '" + condition.text + "': " + found->second +
                     "; measure it in every run, or drop the condition");
  }
  const auto found = lacked.find(metric);
  if (found != lacked.end()) TellUser("diff", found->second + ": this is no change of the program");
}

// "residual is infinite or no number in 1 of 2 runs"
std::string Unknown(const std::string& metric, const algebra::Change& change, const algebra::Runs& runs) {
  return metric + " is infinite or no number in " + std::to_string(change.unknown) + " of " +
         view::Plural(runs.before() + runs.after(), "run");
}

// A job whose metric became infinite must not stay green either.
void RefuseUnknown(const algebra::Outcome& outcome, const algebra::Runs& runs) {
  if (outcome.change.unknown == 0) return;
  throw UsageError("--fail-if '" + outcome.condition.text + "': " +
                   Unknown(outcome.condition.metric, outcome.change, runs) + ", so that its change is not known");
}

// Compares waits if all runs have them.
bool AddAnalyses(algebra::Inputs* before, algebra::Inputs* after) {
  std::string error;
  const bool all = WereAnalysed(*before) && WereAnalysed(*after);
  const auto some = [](const algebra::Inputs& inputs) {
    return std::any_of(inputs.archives.begin(), inputs.archives.end(), algebra::WasAnalysed);
  };
  if (!all && (some(*before) || some(*after))) {
    TellUser("diff", "waits are not compared: epk analyze has looked at some of the archives only");
  }
  if (all && (!algebra::AddAnalyses(before, &error) || !algebra::AddAnalyses(after, &error))) throw Fault(error);
  return all;
}

int Diff(const DiffOptions& options) {
  report::comparison::View view = MakeView(options);
  Split(options, &view.before, &view.after);
  const std::vector<algebra::Condition> conditions = ParseConditions(options.conditions);
  algebra::Inputs before, after;
  std::string error;
  if (!OpenInputs(view.before, &before, &error) || !OpenInputs(view.after, &after, &error)) throw Fault(error);
  for (const algebra::Inputs* inputs : {&before, &after}) {
    for (const std::string& note : inputs->notes) TellUser("diff", note);
  }
  const std::unique_ptr<Approximated> approximated = FindApproximated(before, after);
  if (approximated != nullptr) CompareAsTraced(*approximated, &before);
  const LackedCounters lacked = FindLackedCounters(before, after);
  const bool analysed = AddAnalyses(&before, &after);
  if (!options.output.empty()) StoreDifference(options, before, after);
  if (!options.output.empty() && !options.format_given && conditions.empty()) return kDone;

  algebra::Runs runs(before.operands, after.operands);
  runs.SetWalls(WallTimes(before, after));
  CheckNames(runs, options.metric, conditions, lacked);
  algebra::Comparison comparison;
  if (!Compare(&runs, options.metric, view.least_percent, view.inclusive, &comparison, &error)) throw Fault(error);
  if (comparison.total.unknown != 0) {
    TellUser("diff", Unknown(options.metric, comparison.total, runs) + ", which are left out of the figures");
  }
  if (analysed && !CompareWaits(&runs, &comparison, &error)) throw Fault(error);
  std::vector<algebra::Outcome> outcomes(conditions.size());
  bool fired = false;
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (!Evaluate(conditions[i], &runs, &outcomes[i], &error)) throw Fault("--fail-if " + error);
    RefuseUnknown(outcomes[i], runs);
    fired = fired || outcomes[i].fired;
  }
  const auto show = options.format == "json"       ? report::comparison::ShowJson
                    : options.format == "markdown" ? report::comparison::ShowMarkdown
                                                   : report::comparison::ShowText;
  approximation::Perturbation perturbation;
  if (approximated != nullptr) {
    perturbation =
        PerturbationOf(*approximated, before.archives[0].manifest, after.archives[0].manifest.approximation.bound);
    view.perturbation = report::comparison::PerturbationJson(perturbation, approximated->measured);
  }
  show(runs, comparison, outcomes, view, [](std::string_view text) { fwrite(text.data(), 1, text.size(), stdout); });
  if (approximated != nullptr && options.format == "text") {
    const archive::Profile& measured = approximated->measured;
    fputs(report::comparison::PerturbationText(perturbation, measured, view.top, view.terminal).c_str(), stdout);
  }
  return fired ? kFault : kDone;
}

// cli::App drops "--": so whether it came before an archive is found when the archive is validated, in the order of the
// words.
void NoteSeparator(cli::App& app, cli::Option archives, const std::shared_ptr<DiffOptions>& options) {
  app.CheckInOrder();
  archives.Check([&app, options, seen = std::make_shared<size_t>(0)](const std::string&) {
    const std::vector<std::string> rest = app.rest();
    const bool after = std::find(rest.begin(), rest.end(), "--") != rest.end();
    if (after && options->first_after == 0) options->first_after = *seen;
    ++*seen;
    return std::string();
  });
}

}  // namespace

void AddDiff(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<DiffOptions>();
  cli::Option archives = app.AddOption("archives", options->archives,
                                       "archives or .cubex files: before and after, or BEFORE... -- AFTER...")
                             .TypeName("ARCHIVE")
                             .Required();
  NoteSeparator(app, archives, options);
  app.AddOption("--metric", options->metric, "compare this metric (default: time), or wall").TypeName("NAME");
  app.AddFlag("--inclusive", options->view.inclusive, "list figures with all that a call path calls");
  app.AddOption("--top", options->view.top, "at most so many rows each way (default: 20); 0: all")
      .TypeName("N")
      .Check(WhyNoCount);
  app.AddOption("--min", options->view.least_percent, "leave out changes below so many percent of all (default: 0.1)")
      .TypeName("PERCENT")
      .Check(NumberFrom(0, 100));
  app.AddOption("--fail-if", options->conditions,
                "exit with status 1 if this holds: 'time:solve > 5%'; may be repeated")
      .TypeName("CONDITION")
      .OneValueEach();
  app.AddOption("--format", options->format, "text, json or markdown")
      .OneOf({"text", "json", "markdown"})
      .Check([options](const std::string&) {
        options->format_given = true;
        return std::string();
      });
  app.AddFlag("--ascii", options->ascii, "ASCII only");
  app.AddOption("-o,--output", options->output, "write the difference: NAME.cubex, or a directory to make")
      .TypeName("OUT");
  app.Footer(kDiffManual);
  run = [options] { return Diff(*options); };
}

}  // namespace epik::epk
