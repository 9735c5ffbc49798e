// SPDX-License-Identifier: BSD-3-Clause
// epk compensate: how long the run would have taken without measurement.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/approximation/approximated_archive.h"
#include "analysis/approximation/bracket.h"
#include "analysis/approximation/measurement.h"
#include "archive/directory/archive.h"
#include "archive/files/cost_text.h"
#include "report/figures.h"
#include "report/views/views.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/calibrated.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "tools/epk/output.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/table.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using approximation::Bound;
using approximation::Bracket;
using approximation::Span;
using approximation::TracedRun;
using nlohmann::ordered_json;

constexpr char kCompensateManual[] = R"(
DESCRIPTION
  Computes how long a run would have taken without measurement, from its trace: the cost of each visit is removed, and
  everything that depends on others is computed anew: messages, collective operations, barriers, locks, teams of
  threads. So waiting that measurement caused goes away, too.

  How long a message was under way is not known when its receiver came late. So there are two results: a lower bound and
  an upper bound of the run time. Nothing becomes negative, and nothing happens before what it depends on.

  Any EPK_TRACE with calls will do; `comm` is a good choice: the cost of calls that were measured and not logged is
  taken from the summary. When a run has no trace, the profile gives a bracket, which is wide where communication
  decides.

  `--callpaths` shows each call path's own time without measurement, by the profile: where the program computes, the
  cost of its visits is taken off; where others decide how long it waits, the bounds are far apart. It is the table of
  `epk report --compensated`.

  `-o B` writes the run as it would have been, as archives with traces: B_lower and B_upper, or B alone with `--bound`.
  All tools read them. No message is received there before it was sent, and no barrier left before all have come.

  `--model event` (the default) follows all dependences. `--model time` lets threads wait for each other only where
  teams begin and end, and processes not at all. `--model liberal` is like `event`, but tasks and the pieces of dynamic
  and guided loops go to any thread of the team that is free. `--paper` follows the paper of 2005 to the letter: a send
  never waits. docs/compensation.md has the formulas.

  It uses the prices that `epk calibrate` found on the machine of the run, when the archive holds them, EPK_COSTS
  names their file, or the file lies in its default place; the answer names the file.

EXAMPLES
    EPK_TRACE=comm epk run mpirun -n 4 ./solver
    epk compensate epik_solver_4x1_trace
    epk compensate epik_solver_4x1_trace --format json
    epk compensate epik_solver_4x1_trace --bound upper --format csv
    epk compensate epik_solver_4x1_trace --bound lower -o epik_solver_bare
    epk diff epik_solver_4x1_trace epik_solver_bare

SEE ALSO
  epk-calibrate(1), epk-predict(1), epk-diff(1), epk-analyze(1), epk-report(1)
)";

struct CompensateOptions {
  std::string archive, format = "text", output, bound = "both", model = "event";
  size_t top = report::ViewOptions::kDefaultTop;
  bool paper = false, callpaths = false;
  bool lower() const { return bound != "upper"; }
  bool upper() const { return bound != "lower"; }
};

ordered_json JsonOf(const Span& span, const CompensateOptions& options) {
  ordered_json json;
  json["measured_s"] = span.measured;
  if (options.lower()) json["lower_s"] = span.lower;
  if (options.upper()) json["upper_s"] = span.upper;
  return json;
}

// Names of files and of functions need not be UTF-8: without `replace`, dump would throw.
std::string Dump(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string Json(const Bracket& bracket, const archive::Manifest& manifest, const CompensateOptions& options) {
  ordered_json json = JsonOf(bracket.job, options);
  if (manifest.costs.there) json["costs"] = manifest.costs.file;
  json["locations"] = ordered_json::array();
  for (const Bracket::Location& location : bracket.locations) {
    ordered_json row = {{"rank", location.rank}, {"thread", location.thread}};
    row.update(JsonOf(location.span, options));
    json["locations"].push_back(std::move(row));
  }
  return Dump(json);
}

std::string Number(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9f", seconds);
  return text;
}

std::string Csv(const Bracket& bracket, const CompensateOptions& options) {
  std::string text = "rank,thread,measured_s";
  text += options.lower() ? ",lower_s" : "";
  text += options.upper() ? ",upper_s\n" : "\n";
  for (const Bracket::Location& location : bracket.locations) {
    text +=
        std::to_string(location.rank) + "," + std::to_string(location.thread) + "," + Number(location.span.measured);
    if (options.lower()) text += "," + Number(location.span.lower);
    if (options.upper()) text += "," + Number(location.span.upper);
    text += "\n";
  }
  return text;
}

std::string PercentText(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", whole > 0 ? 100 * part / whole : 0);
  return text;
}

// Whether the uncertain price of a visit makes the bracket wide, so that a run with windows (EPK_HOT=probe) would help.
// A run that had windows, or could have had them, cannot tell more.
bool WouldGainByProbing(const Span& job, const archive::Manifest& manifest) {
  constexpr double kWide = 0.1;
  return manifest.hot.untimed_cost_ns == 0 && job.upper - job.lower > kWide * job.measured &&
         manifest.cost_error_seconds + manifest.cost_seconds - manifest.cost_least_seconds >
             kWide * manifest.cpu_seconds;
}

// Writes one bound if both look alike.
std::string FromTo(const std::string& from, const std::string& to) { return from == to ? from : from + " to " + to; }

std::string Text(const Bracket& bracket, bool traced, const archive::Manifest& manifest,
                 const CompensateOptions& options) {
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  const auto seconds = [&](double s) { return view::Seconds(s, terminal.unicode); };
  const Span& job = bracket.job;
  std::string text = "measured  " + seconds(job.measured) + "\nwithout   ";
  const double least = options.lower() ? job.lower : job.upper, most = options.upper() ? job.upper : job.lower;
  text += FromTo(seconds(least), seconds(most)) + "  (measuring took " +
          FromTo(PercentText(job.measured - most, job.measured), PercentText(job.measured - least, job.measured)) +
          ")\n";
  if (manifest.costs.there) text += "by the " + CostsInWords(manifest) + "\n";
  if (!traced) {
    text += view::Wrapped(
        "", "By the profile alone; a trace tells what waiting came from measuring: `EPK_TRACE=comm epk run …`", 0,
        terminal.width);
  }
  if (options.bound == "both" && WouldGainByProbing(job, manifest)) {
    text +=
        view::Wrapped("",
                      "The program's own work may hide what measuring small functions takes; a run can measure that: "
                      "`EPK_HOT=probe epk run …`",
                      0, terminal.width);
  }
  constexpr size_t kMost = 64;
  const auto right = [](const char* header) { return view::Column{header, view::Align::kRight}; };
  std::vector<view::Column> columns = {right("rank:thread"), right("measured")};
  if (options.lower()) columns.push_back(right("lower"));
  if (options.upper()) columns.push_back(right("upper"));
  view::Table table(std::move(columns));
  for (size_t l = 0; l < std::min(kMost, bracket.locations.size()); ++l) {
    const Bracket::Location& location = bracket.locations[l];
    std::vector<view::Cell> row = {std::to_string(location.rank) + ":" + std::to_string(location.thread),
                                   seconds(location.span.measured)};
    if (options.lower()) row.emplace_back(seconds(location.span.lower));
    if (options.upper()) row.emplace_back(seconds(location.span.upper));
    table.AddRow(std::move(row));
  }
  text += "\n" + table.Render(terminal);
  if (bracket.locations.size() > kMost) {
    text += "and " + std::to_string(bracket.locations.size() - kMost) + " more: --format csv has all\n";
  }
  return text;
}

void TellOfCompensation(const std::string& text) { TellUser("compensate", text); }

// Names of the archives to write, each with its bound.
std::vector<std::pair<std::string, Bound>> Targets(const CompensateOptions& options) {
  if (options.output.empty()) return {};
  std::string base = options.output;
  while (base.size() > 1 && base.back() == '/') base.pop_back();
  const bool both = options.bound == "both";
  std::vector<std::pair<std::string, Bound>> targets;
  if (options.lower()) targets.emplace_back(both ? base + "_lower" : base, Bound::kLower);
  if (options.upper()) targets.emplace_back(both ? base + "_upper" : base, Bound::kUpper);
  for (const auto& [target, bound] : targets) {
    if (std::filesystem::exists(std::filesystem::symlink_status(target))) {
      throw Fault(target + " exists, and an archive is never replaced: give another name");
    }
  }
  return targets;
}

void WriteArchives(const CompensateOptions& options, const TracedRun& run, approximation::Rules rules) {
  for (const auto& [target, bound] : Targets(options)) {
    rules.bound = bound;
    const approximation::WithoutMeasurement change(&run.prices, bound, run.profile, run.unlogged.get());
    const approximation::Times times = run.Without(rules, change);
    approximation::Description description;
    description.model = options.model + (options.paper ? ", as in the paper of 2005" : "");
    description.bound = bound == Bound::kLower ? "lower" : "upper";
    std::string error;
    if (!WriteApproximatedArchive(run, change, times, description, target, &error)) throw Fault(error);
    TellOfCompensation("wrote " + target + ", the " + description.bound + " bound");
  }
}

// Approximates by the trace if it suffices; else by the profile.
Bracket Approximate(const CompensateOptions& options, bool* traced, archive::Manifest* costs) {
  archive::Archive archive;
  std::string error;
  if (!archive::Open(options.archive, &archive, &error)) throw Fault(error);
  if (archive.manifest.approximation.there) {
    throw Fault(options.archive + " is an approximation of " + archive.manifest.approximation.of + ": name that one");
  }
  Targets(options);
  TakeCosts("compensate", &archive.manifest);
  *costs = archive.manifest;
  const std::string shared = archive::OversubscribedInWords(archive.manifest);
  if (!shared.empty()) TellOfCompensation(shared);
  TracedRun run;
  *traced = archive.manifest.trace.there && approximation::OpenTracedRun(archive.path, nullptr, &run, &error);
  if (archive.manifest.trace.there && !*traced) TellOfCompensation(error);
  for (const std::string& problem : run.problems) TellOfCompensation(problem);
  if (*traced && !run.has_calls) {
    TellOfCompensation("the trace has no calls (EPK_TRACE=msgs): the profile is used");
    *traced = false;
  }
  if (!*traced) {
    if (!options.output.empty()) throw Fault("-o needs a trace with calls: record one with EPK_TRACE=comm or all");
    archive::Profile profile;
    if (!archive.ReadProfile(&profile, &error)) throw Fault(error);
    return approximation::BracketOf(profile, archive.manifest);
  }
  run.manifest.costs = archive.manifest.costs;
  run.prices = approximation::Prices(run.profile, run.manifest);
  if (!run.prices.IsKnown()) TellOfCompensation("the archive does not say what measuring a call cost");
  approximation::Rules rules;
  rules.model = options.model == "time"      ? approximation::Model::kTime
                : options.model == "liberal" ? approximation::Model::kLiberal
                                             : approximation::Model::kEvent;
  if (rules.model == approximation::Model::kLiberal && !run.HasSharedWork()) {
    TellOfCompensation(
        "no task and no dynamic or guided loop of OpenMP is in the trace (EPK_TRACE=all has them): as --model event");
  }
  rules.paper = options.paper;
  const Bracket bracket = BracketOf(run, rules);
  if (bracket.forced > 0) {
    TellOfCompensation(std::to_string(bracket.forced) + " points wait for each other in the trace: computed without");
  }
  WriteArchives(options, run, rules);
  return bracket;
}

// The table of `epk report --compensated`.
std::string ShowCallPaths(const CompensateOptions& options) {
  archive::Archive archive;
  archive::Profile profile;
  std::string error, text;
  if (!archive::Open(options.archive, &archive, &error) || !archive.ReadProfile(&profile, &error)) throw Fault(error);
  TakeCosts("compensate", &archive.manifest);
  report::ViewOptions asked;
  asked.view = "compensated";
  asked.top = options.top;
  asked.manifest = &archive.manifest;
  asked.terminal = view::DetectTerminal(STDOUT_FILENO);
  report::ViewData shown;
  if (!report::MakeView(report::Figures(profile), asked, &shown, &error)) throw Fault(options.archive + ": " + error);
  if (options.format == "text") return shown.text;
  (options.format == "csv" ? report::WriteViewCsv : report::WriteViewJson)(shown, report::AppendTo(&text));
  return text;
}

std::string ShowRun(const CompensateOptions& options) {
  bool traced = false;
  archive::Manifest manifest;
  const Bracket bracket = Approximate(options, &traced, &manifest);
  return options.format == "json"  ? Json(bracket, manifest, options)
         : options.format == "csv" ? Csv(bracket, options)
                                   : Text(bracket, traced, manifest, options);
}

int Compensate(CompensateOptions options) {
  if (options.callpaths && !options.output.empty()) {
    throw UsageError("--callpaths is a table, -o writes archives: one of both");
  }
  options.archive = NamedOrNewestMeasured(options.archive, "compensate", false);
  const std::string text = options.callpaths ? ShowCallPaths(options) : ShowRun(options);
  WriteOutput("", [&](const report::Sink& sink, std::string*) {
    sink(text);
    return true;
  });
  return kDone;
}

}  // namespace

void AddCompensate(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<CompensateOptions>();
  app.AddOption("archive", options->archive, "An epik_* directory (default: the newest here)");
  app.AddOption("-o,--output", options->output,
                "Write the approximated run as an archive: NAME, or NAME_lower and NAME_upper")
      .TypeName("NAME");
  app.AddOption("--format", options->format, "How to show it").OneOf({"text", "json", "csv"});
  app.AddOption("--bound", options->bound, "Which bound").OneOf({"lower", "upper", "both"});
  app.AddOption("--model", options->model, "What waits for what").OneOf({"event", "time", "liberal"});
  app.AddFlag("--paper", options->paper, "Sends never wait, as in the paper of 2005");
  const cli::Option callpaths = app.AddFlag("--callpaths", options->callpaths, "By call path, from the profile");
  app.AddOption("--top", options->top, "At most so many call paths; 0: all")
      .TypeName("N")
      .Check(WhyNoCount)
      .Needs(callpaths);
  app.Footer(kCompensateManual);
  run = [options] { return Compensate(*options); };
}

}  // namespace epik::epk
