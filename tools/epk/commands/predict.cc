// SPDX-License-Identifier: BSD-3-Clause
// epk predict: predicts how long the run would have taken with faster code, another network, or an even load.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/prediction/prediction.h"
#include "analysis/replay/archive_world.h"
#include "config/trace_selection.h"
#include "report/html/html.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/calibrated.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "tools/epk/output.h"
#include "tools/epk/page.h"
#include "view/csv.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using approximation::TracedRun;
using nlohmann::ordered_json;
using prediction::Prediction;
using prediction::Wishes;

constexpr char kPredictManual[] = R"(
DESCRIPTION
  Replays a trace with altered times and computes how long the run would have taken. Waiting, and which process comes
  last, follow from the altered times.

  `--faster 'solve:2x,assemble:30%'`: `solve` and all it calls twice as fast, `assemble` in 30 % less time. Calls of
  MPI keep their times. `--faster each:2x` tries the code of each call path by itself, and ranks call paths by what
  the whole run gains. The gain differs from the time that they take: where others wait anyway, the run gains nothing.

  `--balance React`: all threads and processes that work in `React` get an equal part of it. `--network ideal`:
  messages take no time, and only waiting is left; this also splits the efficiency of communication into serialisation
  and transfer, as POP defines them. `--network latency:2us,bandwidth:10G`: messages take that. `--locks queue:none`:
  locks are free whenever a thread asks. `--overhead none`: measuring costs nothing. All of these can be combined.

  `--ranks-per-host 2`: ranks 0 and 1 share a host, 2 and 3, and so on. Messages within a host and between hosts take what
  they took in the trace; where it has one kind only, `--network` says what the other kind takes.

  `-o B` writes the predicted run as an archive with a trace: for `epk view`, `report`, `analyze` and `diff`.

  `--html FILE` writes the page of `epk report --html` with the prediction in it: the ranking as a table that can be
  sorted, measured and predicted times of each thread, and the new critical path.

  The trace can be one of EPK_TRACE=comm: the summary has the functions that the trace lacks.

EXAMPLES
    EPK_TRACE=comm epk run mpirun -n 4 ./solver
    epk predict epik_solver_4x1_trace --faster each:2x
    epk predict epik_solver_4x1_trace --faster each:2x --html gains.html
    epk predict epik_solver_4x1_trace --faster 'solve:2x,assemble:30%'
    epk predict epik_solver_4x1_trace --balance React --format json
    epk predict epik_solver_4x1_trace --ranks-per-host 2
    epk predict epik_solver_4x1_trace --network ideal -o epik_ideal

SEE ALSO
  epk-compensate(1), epk-analyze(1), epk-report(1)
)";

struct PredictOptions {
  std::string archive, format = "text", faster, network, balance, locks, overhead = "measured", output, page;
  size_t top = 20;
  uint32_t ranks_per_host = 0;
};

Wishes WishesOf(const PredictOptions& options) {
  Wishes wishes;
  std::string error;
  std::vector<prediction::Faster> faster;
  if (!options.faster.empty() && !prediction::ParseFaster(options.faster, &faster, &error)) throw UsageError(error);
  for (prediction::Faster& one : faster) {
    if (one.region == "each") {
      if (wishes.each) throw UsageError("--faster names 'each' twice");
      wishes.each = one.share;
    } else {
      wishes.faster.push_back(std::move(one));
    }
  }
  if (!options.network.empty()) {
    wishes.network.emplace();
    if (!prediction::ParseNetwork(options.network, &*wishes.network, &error)) throw UsageError(error);
  }
  wishes.ranks_per_host = options.ranks_per_host;
  wishes.balance = options.balance;
  wishes.locks_wait = options.locks.empty();
  wishes.without_measurement = options.overhead == "none";
  wishes.output = options.output;
  const auto add = [&wishes](const char* option, const std::string& value) {
    if (!value.empty()) wishes.words += (wishes.words.empty() ? "" : " ") + std::string(option) + " " + value;
  };
  add("--faster", options.faster);
  add("--network", options.network);
  add("--ranks-per-host", options.ranks_per_host > 0 ? std::to_string(options.ranks_per_host) : "");
  add("--balance", options.balance);
  add("--locks", options.locks);
  add("--overhead", options.overhead == "none" ? "none" : "");
  return wishes;
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string NameOf(const TracedRun& run, uint32_t path) {
  return path < run.profile.call_paths.size() ? run.profile.PathName(path) : "(outside of all calls)";
}
std::string RegionOf(const TracedRun& run, uint32_t path) {
  return run.profile.regions[run.profile.call_paths[path].region].name;
}

// The prediction for scripts and for the page.
ordered_json JsonOf(const TracedRun& run, const Wishes& wishes, const Prediction& p) {
  ordered_json json = {{"measured_s", p.measured}, {"predicted_s", p.predicted}};
  if (p.range) json.update({{"least_s", p.range->first}, {"most_s", p.range->second}});
  if (p.scattered > 0) json["scattered_s"] = p.scattered;
  json["locations"] = ordered_json::array();
  for (const Prediction::Location& l : p.locations) {
    json["locations"].push_back(
        {{"rank", l.rank}, {"thread", l.thread}, {"measured_s", l.measured}, {"predicted_s", l.predicted}});
  }
  json["callpaths"] = ordered_json::array();
  for (const Prediction::PathTime& time : p.paths) {
    json["callpaths"].push_back(
        {{"callpath", NameOf(run, time.path)}, {"measured_s", time.measured}, {"predicted_s", time.predicted}});
  }
  if (p.hosts) {
    ordered_json hosts = {{"hosts_measured", p.hosts->before},
                          {"hosts", p.hosts->then},
                          {"pairs", p.hosts->pairs},
                          {"changed_pairs", p.hosts->changed_pairs}};
    const auto add = [&hosts](const char* key, const std::optional<approximation::Way>& way) {
      if (!way) return;
      hosts[key] = {{"latency_s", way->latency_ns * 1e-9}, {"messages", way->messages}};
      if (way->ns_per_byte > 0) hosts[key]["bytes_per_s"] = 1e9 / way->ns_per_byte;
    };
    add("same_host", p.hosts->same_host);
    add("other_host", p.hosts->other_host);
    json["placement"] = std::move(hosts);
  }
  if (p.transfer) json["transfer_efficiency"] = *p.transfer;
  if (p.serialisation) json["serialisation_efficiency"] = *p.serialisation;
  json["critical_path"] = ordered_json::array();
  for (const Prediction::OnPath& part : p.critical_path) {
    json["critical_path"].push_back({{"callpath", NameOf(run, part.path)}, {"seconds", part.seconds}});
  }
  if (wishes.each) {
    json["ranking"] = ordered_json::array();
    for (const Prediction::Gain& gain : p.ranking) {
      json["ranking"].push_back({{"callpath", NameOf(run, gain.path)},
                                 {"region", RegionOf(run, gain.path)},
                                 {"gain_s", gain.gain},
                                 {"gain_percent", Percent(gain.gain, p.predicted)}});
    }
  }
  return json;
}

std::string Json(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// The page of `epk report --html` with this prediction in it.
void WritePage(const std::string& path, const TracedRun& run, const Wishes& wishes, const Prediction& p) {
  ordered_json json = JsonOf(run, wishes, p);
  json["wishes"] = wishes.words;
  if (wishes.each) {
    json["each"] = *wishes.each;
    for (size_t i = 0; i < p.ranking.size(); ++i) json["ranking"][i]["own_s"] = p.ranking[i].own;
  }
  report::HtmlExtras extras;
  ReadPage(run.path, &extras);
  extras.prediction = Json(json);
  WriteOutput(path, [&](const report::Sink& sink, std::string* error) {
    return report::WriteHtml(run.profile, run.manifest, extras, sink, error);
  });
  fprintf(stderr, "epk predict: wrote %s\n", path.c_str());
}

std::string Csv(const TracedRun& run, const Wishes& wishes, const Prediction& p) {
  char line[128];
  if (!wishes.each) {
    std::string text = "rank,thread,measured_s,predicted_s\n";
    for (const Prediction::Location& l : p.locations) {
      std::snprintf(line, sizeof line, "%d,%d,%.9f,%.9f\n", l.rank, l.thread, l.measured, l.predicted);
      text += line;
    }
    return text;
  }
  std::string text = "callpath,region,gain_s,gain_percent\n";
  for (const Prediction::Gain& gain : p.ranking) {
    std::snprintf(line, sizeof line, ",%.9f,%.4f\n", gain.gain, Percent(gain.gain, p.predicted));
    text += view::CsvText(NameOf(run, gain.path)) + "," + view::CsvText(RegionOf(run, gain.path)) + line;
  }
  return text;
}

std::string ShareOf(double part, double whole) { return view::Share(whole > 0 ? part / whole : 0); }

// If a trace lacks calls, the summary tells how long they took, but not when.
std::string Caveat(const TracedRun& run) {
  config::TraceSelection trace;
  if (!config::ParseTrace(replay::SelectionOf(run.path), &trace) || trace.all) return "";
  return "\nThe trace does not have all calls. Those that it lacks are where they fit into\nthe calls around them: "
         "their gains are estimates (EPK_TRACE=all has them).\n";
}

// The first table: regions ranked by what they would gain.
std::string Ranking(const TracedRun& run, const PredictOptions& options, const Wishes& wishes, const Prediction& p) {
  char head[128];
  std::snprintf(head, sizeof head, "The run gains this when the code of one call path takes %.3g %% of its time:\n\n",
                100 * *wishes.each);
  view::Table table({{"gain", view::Align::kRight},
                     {"of the run", view::Align::kRight},
                     {"own time", view::Align::kRight},
                     view::Name("call path")});
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  view::ShortPaths paths(terminal);
  const size_t shown = options.top == 0 ? p.ranking.size() : std::min(options.top, p.ranking.size());
  for (size_t i = 0; i < shown; ++i) {
    const Prediction::Gain& gain = p.ranking[i];
    const double seconds = std::max(0.0, gain.gain);
    table.AddRow({view::SecondsCell(seconds),
                  {ShareOf(seconds, p.predicted), view::Style::kBold},
                  {view::SecondsCell(gain.own), view::Style::kFaint},
                  view::PathCell(&paths, NameOf(run, gain.path))});
  }
  std::string text = head + table.Render(terminal);
  if (shown < p.ranking.size()) {
    text += "and " + std::to_string(p.ranking.size() - shown) + " more: --top 0\n";
  }
  return text + Caveat(run);
}

std::string WayText(const char* where, const std::optional<approximation::Way>& way) {
  if (!way) return "";
  std::string text = std::string("  a message ") + where + ": " + view::Seconds(way->latency_ns * 1e-9);
  if (way->ns_per_byte > 0) text += " and " + view::Bytes(1e9 / way->ns_per_byte) + "/s";
  return text +
         (way->messages > 0 ? ", by " + view::Count(way->messages) + " messages of the trace\n" : ", as given\n");
}

std::string HostsText(const Prediction::Hosts& hosts) {
  const auto words = [](uint32_t count) { return std::to_string(count) + (count == 1 ? " host" : " hosts"); };
  return "on " + words(hosts.then) + " instead of " + words(hosts.before) + "; " + view::Count(hosts.changed_pairs) +
         " of " + view::Count(hosts.pairs) + " pairs of ranks with messages change\n" +
         WayText("within a host", hosts.same_host) + WayText("between hosts", hosts.other_host);
}

// A lock of libc that a thread found free has no record. The summary counts it.
std::string FreeLocks(const TracedRun& run, const Wishes& wishes) {
  const uint32_t metric = run.profile.FindMetric("locks_free");
  if (metric == archive::kNone || (wishes.faster.empty() && wishes.balance.empty())) return "";
  double free = 0;
  for (uint32_t path = 0; path < run.profile.call_paths.size(); ++path) {
    if (!run.profile.values[metric].Has(path)) continue;
    for (uint32_t l = 0; l < run.profile.locations.size(); ++l) free += run.profile.values[metric].Real(path, l);
  }
  if (free < 1) return "";
  return "\nThreads found locks of libc free " + view::Count(static_cast<uint64_t>(free)) +
         " times. The trace does not tell who had these\nlocks before, so the prediction lacks waits "
         "for them that another run may have.\n";
}

// Tells what the trace leaves open. A small difference says nothing to the reader.
std::string RangeText(const Prediction& p) {
  constexpr double kWorthTelling = 0.02;
  if (p.range && p.range->second - p.range->first >= kWorthTelling * p.predicted) {
    return "between    " + view::Seconds(p.range->first) + " and " + view::Seconds(p.range->second) +
           ": the trace does not have what ran while\n           threads had locks (EPK_TRACE=all has it)\n";
  }
  if (p.scattered < kWorthTelling * p.predicted) return "";
  return "unsure     " + view::Seconds(p.scattered) +
         " of what threads save: the trace does not tell in which visits of\n" +
         "           their callers these functions ran (EPK_TRACE=all does)\n";
}

// A sweep alters nothing but one call path at a time.
bool Alters(const Wishes& wishes) {
  return !wishes.faster.empty() || !wishes.balance.empty() || wishes.network || wishes.ranks_per_host > 0 ||
         !wishes.locks_wait || wishes.without_measurement;
}

std::string Text(const TracedRun& run, const PredictOptions& options, const Wishes& wishes, const Prediction& p) {
  std::string text = "measured   " + view::Seconds(p.measured) + "\n";
  if (Alters(wishes)) {
    const double gain = p.measured - p.predicted;
    text += "predicted  " + view::Seconds(p.predicted) + "  (" + ShareOf(std::abs(gain), p.measured) +
            (gain < 0 ? " more)\n" : " less)\n") + RangeText(p);
  }
  if (p.hosts) text += HostsText(*p.hosts);
  if (p.transfer && p.serialisation) {
    text += "transfer efficiency       " + view::Share(*p.transfer) + "\nserialisation efficiency  " +
            view::Share(*p.serialisation) + "\n";
  }
  if (wishes.each) return text + "\n" + Ranking(run, options, wishes, p);
  view::Table table(
      {{"time", view::Align::kRight}, {"of the run", view::Align::kRight}, view::Name("then on the critical path")});
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  view::ShortPaths paths(terminal);
  const size_t shown = options.top == 0 ? p.critical_path.size() : std::min(options.top, p.critical_path.size());
  for (size_t i = 0; i < shown; ++i) {
    const Prediction::OnPath& part = p.critical_path[i];
    table.AddRow({view::SecondsCell(part.seconds), ShareOf(part.seconds, p.predicted),
                  view::PathCell(&paths, NameOf(run, part.path))});
  }
  return text + "\n" + table.Render(terminal) + FreeLocks(run, wishes);
}

int Predict(PredictOptions options) {
  const Wishes wishes = WishesOf(options);
  options.archive = NamedOrNewestMeasured(options.archive, "predict", true);
  TracedRun run;
  std::string error;
  if (!approximation::OpenTracedRun(options.archive, nullptr, &run, &error)) throw Fault(error);
  for (const std::string& problem : run.problems) TellUser("predict", problem);
  if (!run.has_calls) throw Fault("the trace has no calls: record one with EPK_TRACE=comm or all");
  if (wishes.without_measurement) {
    TakeCosts("predict", &run.manifest);
    run.prices = approximation::Prices(run.profile, run.manifest);
  }
  Prediction prediction;
  if (!prediction::Predict(run, wishes, &prediction, &error)) throw Fault(error);
  if (!options.page.empty()) WritePage(options.page, run, wishes, prediction);
  if (!wishes.each && !Alters(wishes)) {
    TellUser("predict", "nothing is changed; `--faster each:2x` shows which code is worth it, `epk help predict` more");
  }
  const std::string text = options.format == "json" ? Json(JsonOf(run, wishes, prediction))
                           : options.format == "csv"
                               ? Csv(run, wishes, prediction)
                               : view::DetectTerminal(STDOUT_FILENO).Spelled(Text(run, options, wishes, prediction));
  WriteOutput("", [&](const report::Sink& sink, std::string*) {
    sink(text);
    return true;
  });
  return kDone;
}

}  // namespace

void AddPredict(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<PredictOptions>();
  app.AddOption("archive", options->archive, "An epik_* directory with a trace (default: the newest here)");
  app.AddOption("--faster", options->faster, "Code that takes less time: solve:2x,assemble:30% or each:2x")
      .TypeName("REGION:HOW,...");
  app.AddOption("--network", options->network, "ideal, or latency:2us,bandwidth:10G").TypeName("NETWORK");
  app.AddOption("--ranks-per-host", options->ranks_per_host, "As many ranks on each host, in their order")
      .TypeName("N")
      .Check(WholeNumberFrom(1, 1 << 20));
  app.AddOption("--balance", options->balance, "Regions whose work is shared evenly").TypeName("REGION,...");
  app.AddOption("--locks", options->locks, "Locks are free at once").OneOf({"queue:none"});
  app.AddOption("--overhead", options->overhead, "Whether measuring costs something").OneOf({"none", "measured"});
  app.AddOption("-o,--output", options->output, "Write the predicted run as an archive").TypeName("NAME");
  app.AddOption("--html", options->page, "Write it as a page with the profile, for a browser").TypeName("FILE");
  app.AddOption("--top", options->top, "Show the N largest; 0: all").TypeName("N").Check(WhyNoCount);
  app.AddOption("--format", options->format, "How to show it").OneOf({"text", "json", "csv"});
  app.Footer(kPredictManual);
  run = [options] { return Predict(*options); };
}

}  // namespace epik::epk
