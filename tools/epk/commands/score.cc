// SPDX-License-Identifier: BSD-3-Clause
// epk score: estimates the cost of measuring and the size of a trace, by class of region, before the next run.
#include "analysis/score.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/filter_text.h"
#include "analysis/replay/archive_world.h"
#include "archive/directory/archive.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/calibrated.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "view/csv.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::epk {
namespace {

using analysis::CostClass;
using analysis::RegionCosts;
using analysis::Score;
using analysis::ScoreRow;
using view::Cell;

constexpr char kScoreManual[] = R"(
DESCRIPTION
  Adds up, by class of region, how often the program came there, the time spent, what measuring it cost, and how large
  a trace of everything would be, in total and for the process with the largest one. With `-f` it shows the same under
  a filter beside it: what the next run would cost with EPK_FILTER or after `epk instrument --filter`.

  Classes: MPI and OMP are calls of these; COM are functions of the program that lead to MPI or OpenMP, USR those that
  do not, and API what is marked in the source with epik.h.

  The cost is the number of visits times what an enter and an exit took on average in that run. It stands beside the
  CPU time in which the program computed, not beside the time that it waited. Calls that were sampled or dropped
  (EPK_HOT, EPK_BUDGET) count with what they still cost. Sizes of traces are estimates: the encoder that writes traces
  gets invented events, as many and as long as the profile has.

SUGGESTION
  --suggest writes a filter that brings the cost below --budget and hides as little time as it can: functions go in the
  order of their own time for each visit. Functions that lead to MPI or OpenMP go last. If the run had a filter
  (EPK_FILTER), the suggestion begins with the rules of that filter.

EXAMPLES
    epk score epik_solver_4x2_sum
    epk score epik_solver_4x2_sum -f solver.filter
    epk score epik_solver_4x2_sum --suggest --budget 2% -o solver.filter

SEE ALSO
  epk-reduce(1), epk-instrument(1), epk-run(1)
)";

struct ScoreOptions {
  std::string archive, filter, output = "suggested.filter", format = "text", budget = "5%";
  bool suggest = false;
  size_t top = 10;
};

struct ScoreInput {
  analysis::Prices prices;
  archive::Profile profile;
  archive::Manifest manifest;
  std::vector<RegionCosts> costs;
  std::vector<bool> excluded;  // empty: no filter
};

double ShareOf(const std::string& text) {
  size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool percent = used != 0 && text.substr(used) == "%";
  if (used == 0 || (!percent && used != text.size()) || !(number > 0 && number < 100)) {
    throw UsageError("--budget " + text + " is not a share like 5%");
  }
  return number / 100;
}

std::string PerVisit(double seconds, uint64_t visits) {
  return visits == 0 ? "" : view::Seconds(seconds / static_cast<double>(visits));
}

// As a value of ELG_BUFFER_SIZE, a little more.
std::string BufferSize(double bytes) {
  double mebibytes = std::max(1.0, std::ceil(bytes * 1.1 / (1 << 20)));
  return std::to_string(static_cast<uint64_t>(mebibytes)) + "M";
}

std::string Nanoseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ns", ns);
  return text;
}

std::string Remark(const char* first, const std::string& text, const view::Terminal& terminal) {
  constexpr size_t kIndent = 6;
  return view::Wrapped(*first == '\0' ? " " : first, terminal.Spelled(text), kIndent, terminal.width);
}

// The program still calls the hooks of functions that a filter excludes, unless `epk instrument --filter` removes the
// hooks.
std::string CalibratedInWords(const ScoreInput& in, const Score& full, const Score* less,
                              const view::Terminal& terminal) {
  if (!in.manifest.costs.there) return "";
  std::string text = Remark("", "by the " + CostsInWords(in.manifest), terminal);
  const archive::Calibration::Price* filtered = in.manifest.costs.Find("function", "filtered");
  if (filtered == nullptr || less == nullptr || full.all.visits <= less->all.visits) return text;
  const uint64_t calls = full.all.visits - less->all.visits;
  const auto of_all = [&](double ns) { return view::Seconds(static_cast<double>(calls) * ns * 1e-9); };
  return text + Remark("",
                       "the " + view::Count(calls) + " calls that the filter leaves out cost " +
                           Nanoseconds(filtered->Least()) + " to " + Nanoseconds(filtered->Most()) +
                           " each as long as they have hooks: " + of_all(filtered->Least()) + " to " +
                           of_all(filtered->Most()),
                       terminal);
}

// Under the tables: where the figures come from.
void ShowSources(const ScoreInput& in, const Score& full, const Score* less, const view::Terminal& terminal) {
  std::string text = Remark(
      "cost:",
      Nanoseconds(in.manifest.pair_cost_ns) + " for a visit in the mean, as calibrated in that run; trace: estimated",
      terminal);
  const auto& hot = in.manifest.hot;
  if (hot.untimed_visits + hot.dropped_calls != 0) {
    text += Remark("",
                   Nanoseconds(hot.untimed_cost_ns) + " for each of " + view::Count(hot.untimed_visits) +
                       " visits that were counted and not timed and " + view::Count(hot.dropped_calls) +
                       " calls that were dropped",
                   terminal);
  }
  text += CalibratedInWords(in, full, less, terminal);
  const double buffer = less == nullptr ? full.buffer : less->buffer;
  const std::string what = less == nullptr ? "everything" : "everything under the filter";
  text += view::Wrapped("",
                        "to keep a trace of " + what +
                            " in memory, the thread with most events needs ELG_BUFFER_SIZE=" + BufferSize(buffer),
                        0, terminal.width);
  printf("\n%s", text.c_str());
}

void ShowClasses(const ScoreInput& in, const Score& full, const Score* less, const view::Terminal& terminal) {
  using enum view::Align;
  std::vector<view::Column> columns = {{"class"},          {"regions", kRight}, {"visits", kRight},
                                       {"time", kRight},   {"a visit", kRight}, {"cost", kRight},
                                       {"of CPU", kRight}, {"trace", kRight},   {"largest", kRight}};
  const char* const bar = terminal.unicode ? "│" : "|";
  if (less != nullptr) {
    for (const char* title : {bar, "visits", "time", "cost", "of CPU", "trace", "largest"}) {
      columns.push_back({title, kRight});
    }
  }
  // Visits, cost and the size of the trace stay on the narrowest screen.
  constexpr int kSpare[] = {0, 8, 0, 4, 3, 0, 6, 0, 7, 0, 0, 5, 1, 6, 2, 7};
  for (size_t c = 0; c < columns.size(); ++c) columns[c].spare = kSpare[c];
  view::Table table(columns);
  // Time spent waiting is no measure for the cost of measuring.
  const double total = in.manifest.cpu_seconds > 0 ? in.manifest.cpu_seconds : full.all.seconds;
  // Without the cost of the excluded regions, the program's time is shorter, too.
  const double total_less = less == nullptr ? 0 : total - full.all.overhead + less->all.overhead;
  const auto add = [&](const char* name, const ScoreRow& row, const ScoreRow* under) {
    std::vector<Cell> cells = {name,
                               std::to_string(row.regions),
                               view::Count(row.visits),
                               view::Seconds(row.seconds),
                               PerVisit(row.seconds, row.visits),
                               view::Seconds(row.overhead),
                               total > 0 ? view::Share(row.overhead / total) : "",
                               view::Bytes(row.bytes),
                               view::Bytes(row.largest)};
    if (under != nullptr) {
      const std::vector<Cell> more = {bar,
                                      view::Count(under->visits),
                                      view::Seconds(under->seconds),
                                      view::Seconds(under->overhead),
                                      total_less > 0 ? view::Share(under->overhead / total_less) : "",
                                      view::Bytes(under->bytes),
                                      view::Bytes(under->largest)};
      cells.insert(cells.end(), more.begin(), more.end());
    }
    table.AddRow(cells);
  };
  add("ALL", full.all, less == nullptr ? nullptr : &less->all);
  for (size_t c = 0; c < analysis::kCostClasses; ++c) {
    if (full.classes[c].regions == 0) continue;
    add(analysis::Word(static_cast<CostClass>(c)), full.classes[c], less == nullptr ? nullptr : &less->classes[c]);
  }
  fputs(table.Render(terminal).c_str(), stdout);
  ShowSources(in, full, less, terminal);
}

// Regions in order of their cost.
std::vector<uint32_t> Ranking(const ScoreInput& in) {
  std::vector<uint32_t> order;
  std::vector<uint64_t> visits;
  for (const RegionCosts& region : in.costs) visits.push_back(region.Sum().visits);
  for (uint32_t r = 0; r < in.costs.size(); ++r) {
    if (visits[r] != 0) order.push_back(r);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return visits[a] > visits[b]; });
  return order;
}

void ShowRegions(const ScoreInput& in, size_t top, const view::Terminal& terminal) {
  using enum view::Align;
  view::Table table({{"class"},
                     {"visits", kRight},
                     {"own time", kRight},
                     {"a visit", kRight},
                     {"cost", kRight},
                     {in.excluded.empty() ? "" : "filter"},
                     view::Name("region")});
  view::ShortPaths names(terminal);
  size_t shown = 0;
  for (uint32_t r : Ranking(in)) {
    if (in.costs[r].cost_class == CostClass::kOther) continue;
    if (top != 0 && shown++ == top) break;
    const analysis::Cost sum = in.costs[r].Sum();
    const bool out = !in.excluded.empty() && in.excluded[r];
    table.AddRow({analysis::Word(in.costs[r].cost_class), view::Count(sum.visits), view::Seconds(sum.own),
                  PerVisit(sum.own, sum.visits), view::Seconds(analysis::OverheadOf(sum, in.prices)), out ? "out" : "",
                  view::NameCell(&names, in.profile.regions[r].name)});
  }
  if (!table.empty()) printf("\n%s", table.Render(terminal).c_str());
}

void ShowCsv(const ScoreInput& in) {
  const Score score = analysis::ScoreOf(in.profile, in.costs, in.prices, {});
  puts("class,region,visits,own_s,inclusive_s,cost_s,trace_bytes,leads_to_mpi,leads_to_openmp,excluded");
  for (uint32_t r : Ranking(in)) {
    const RegionCosts& costs = in.costs[r];
    const analysis::Cost sum = costs.Sum();
    printf("%s,%s,%llu,%.9g,%.9g,%.9g,%.0f,%d,%d,%d\n", analysis::Word(costs.cost_class),
           view::CsvText(in.profile.regions[r].name).c_str(), static_cast<unsigned long long>(sum.visits), sum.own,
           sum.inclusive, analysis::OverheadOf(sum, in.prices), score.of_region[r], costs.leads_to_mpi ? 1 : 0,
           costs.leads_to_openmp ? 1 : 0, !in.excluded.empty() && in.excluded[r] ? 1 : 0);
  }
}

// An archive of somebody else may name any file. A suggestion gives nobody the contents of a file that only its owner
// may read.
bool WouldBecomeReadable(const std::string& file) {
  constexpr mode_t kByOthers = S_IRGRP | S_IROTH;
  struct stat info;
  const mode_t mask = umask(0);
  umask(mask);
  return stat(file.c_str(), &info) != 0 || (kByOthers & ~mask & ~info.st_mode) != 0;
}

// The run's own filter left functions out, so they have no cost in it. They stay out.
std::string RulesInForce(const std::string& archive) {
  std::string file = replay::SettingOf(archive, "EPK_FILTER");
  std::erase(file, '"');
  if (file.empty()) return "";
  const std::string lacks = "the suggestion lacks the rules of the run's filter: ";
  std::string rules, error;
  if (!analysis::ReadText(file, &rules, &error)) {
    TellUser("score", lacks + error);
    return "";
  }
  if (WouldBecomeReadable(file)) {
    TellUser("score",
             lacks + "not everybody may read " + file + "; with `umask 077`, only you may read the suggestion");
    return "";
  }
  return "# The rules of " + view::Printable(file) + ", the filter of that run:\n" + rules + "\n# The suggestion:\n";
}

void MakeSuggestion(const ScoreOptions& options, ScoreInput* in) {
  const double budget = ShareOf(options.budget);
  const analysis::Suggestion suggestion = analysis::Suggest(in->costs, in->prices, budget);
  std::string text =
      std::string(analysis::kWrittenByUs) + "epk score --suggest --budget " + view::Printable(options.budget) + "\n";
  text += "# " + view::Printable(options.archive) + "\n" + RulesInForce(options.archive);
  in->excluded.assign(in->profile.regions.size(), false);
  for (uint32_t r : suggestion.regions) {
    in->excluded[r] = true;
    text += "EXCLUDE REGION " + analysis::AsPattern(in->profile.regions[r].name) + "\n";
  }
  std::string error;
  if (!analysis::WriteFilter(options.output, text, &error)) throw Fault(error);
  const size_t out = suggestion.regions.size();
  TellUser("score", options.output + " leaves out " + view::Plural(out, "function") + "; measuring would take " +
                        view::Share(suggestion.overhead) + " of the CPU time");
  if (!suggestion.met) {
    TellUser("score", options.budget + " cannot be met: only MPI, OpenMP and regions marked in the source are left");
  }
}

int ShowScore(ScoreOptions options) {
  options.archive = NamedOrNewest(options.archive, "score");
  archive::Archive archive;
  std::string error;
  ScoreInput in;
  if (!archive::Open(options.archive, &archive, &error)) throw Fault(error);
  if (!archive.ReadProfile(&in.profile, &error)) throw Fault(error);
  in.manifest = archive.manifest;
  TakeCosts("score", &in.manifest);
  in.costs = analysis::CostsOf(in.profile);
  in.prices = analysis::PricesOf(in.manifest, in.costs);
  if (options.suggest) MakeSuggestion(options, &in);
  if (!options.filter.empty()) {
    config::Filter filter;
    std::vector<std::string> remarks;
    if (!analysis::ReadFilter(options.filter, &filter, &remarks, &error)) throw Fault(error);
    std::vector<bool> used(filter.rules().size());
    in.excluded = analysis::Excluded(in.profile, filter, &used);
    for (const std::string& line : analysis::TellUnused(options.filter, filter, used)) remarks.push_back(line);
    if (filter.Uses(config::FilterField::kObject)) {
      remarks.push_back(options.filter +
                        ": profiles do not name the object of a function; rules about objects act in the run only");
    }
    for (const std::string& line : remarks) TellUser("score", line);
  }
  if (options.format == "csv") {
    ShowCsv(in);
    return kDone;
  }
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  const Score full = analysis::ScoreOf(in.profile, in.costs, in.prices, {});
  const Score less = analysis::ScoreOf(in.profile, in.costs, in.prices, in.excluded);
  ShowClasses(in, full, in.excluded.empty() ? nullptr : &less, terminal);
  ShowRegions(in, options.top, terminal);
  return kDone;
}

}  // namespace

void AddScore(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<ScoreOptions>();
  app.AddOption("archive", options->archive, "an epik_* directory (default: the newest here)").TypeName("ARCHIVE");
  const auto filter = app.AddOption("-f,--filter", options->filter, "show what it would be under this filter");
  filter.TypeName("FILE");
  const auto suggest =
      app.AddFlag("--suggest", options->suggest, "write a filter that meets the budget").Excludes(filter);
  app.AddOption("--budget", options->budget, "share of the time that measuring may take (default: 5%)")
      .TypeName("PERCENT")
      .Needs(suggest);
  app.AddOption("-o,--output", options->output, "where the filter goes (default: suggested.filter)")
      .TypeName("FILE")
      .Needs(suggest);
  app.AddOption("--top", options->top, "list so many regions; 0: all").TypeName("N").Check(WhyNoCount);
  app.AddOption("--format", options->format, "text or csv").OneOf({"text", "csv"});
  app.Footer(kScoreManual);
  run = [options] { return ShowScore(*options); };
}

}  // namespace epik::epk
