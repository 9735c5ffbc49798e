// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pop.h"

#include <algorithm>
#include <cmath>

#include "archive/profile/path_names.h"
#include "report/views/polling.h"
#include "report/views/views.h"
#include "report/views/waited.h"
#include "view/bar.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

using analysis::Efficiencies;
using analysis::Pop;

constexpr size_t kDefaultPhases = 12;
constexpr double kLeastShare = 0.02;

struct Line {
  const char *key, *label;
  int level;
  double Efficiencies::*value;
};
constexpr Line kTotalLines[] = {
    {"parallel_efficiency", "Parallel efficiency", 0, &Efficiencies::parallel},
    {"load_balance", "Load balance", 1, &Efficiencies::load_balance},
    {"communication_efficiency", "Communication efficiency", 1, &Efficiencies::communication}};
constexpr Line kMpiLines[] = {{"mpi_parallel_efficiency", "MPI parallel efficiency", 0, &Efficiencies::mpi_parallel},
                              {"mpi_load_balance", "Balance of the ranks", 1, &Efficiencies::mpi_load_balance},
                              {"mpi_communication_efficiency", "Communication", 1, &Efficiencies::mpi_communication}};
constexpr Line kOmpLines[] = {{"omp_parallel_efficiency", "OpenMP parallel efficiency", 0, &Efficiencies::omp_parallel},
                              {"omp_load_balance", "Balance of the threads", 1, &Efficiencies::omp_load_balance},
                              {"omp_thread_activity", "Threads active", 1, &Efficiencies::omp_region}};

constexpr size_t kLabel = 28, kShare = 6;
constexpr std::string_view kBehindShare = " %  ";

// Draws the bar on a track, so that the missing part is visible, too.
std::string Bar(double share, const view::Terminal& terminal) {
  constexpr size_t kBefore = kLabel + kShare + kBehindShare.size(), kLeast = 8, kMost = 40;
  const size_t width = std::clamp(terminal.width, kBefore + kLeast, kBefore + kMost) - kBefore;
  constexpr view::BarPart kDone{"█", "#", view::Style::kPlain}, kLacks{"·", ".", view::Style::kPlain};
  return view::StackedBar(terminal, {{share, kDone}, {1 - share, kLacks}}, width);
}

template <class Lines>
std::string LinesInWords(const Lines& lines, const Efficiencies& e, const view::Terminal& terminal) {
  std::string out;
  for (const Line& line : lines) {
    const std::string label = std::string(static_cast<size_t>(2 * line.level), ' ') + line.label;
    const std::string text = view::PadRight(label, kLabel) + view::PadLeft(view::Percent(e.*line.value, 1), kShare) +
                             std::string(kBehindShare) + Bar(e.*line.value, terminal) + "\n";
    out += line.level == 0 ? terminal.Bold(text) : text;
  }
  return out;
}

Sheet PhaseSheet(const Figures& f, const Pop& pop, bool omp, bool hybrid, size_t top) {
  const auto title = [](bool shown, const char* text) { return std::string(shown ? text : ""); };
  Sheet sheet{"callpaths",
              {{"callpath_id", "", Unit::kCount},
               {"share", "% time", Unit::kShare},
               {"ranks", title(f.profile.processes.size() > 1, "ranks"), Unit::kCount, 1},
               {"parallel_efficiency", "parallel", Unit::kShare},
               {"load_balance", "balance", Unit::kShare},
               {"communication_efficiency", "comm", Unit::kShare, 3},
               {"mpi_parallel_efficiency", title(hybrid, "MPI"), Unit::kShare, 4},
               {"omp_parallel_efficiency", title(hybrid, "OpenMP"), Unit::kShare, 5},
               {"busiest", title(!hybrid, "busiest"), Unit::kText, 2},
               {"callpath", "call path", Unit::kText}},
              {}};
  sheet.hidden_prefix = RootPrefix(f);
  const size_t most = top == 0 ? f.profile.call_paths.size() : top;
  const archive::PathNames names(f.profile);
  for (uint32_t path : pop.Phases(most, kLeastShare)) {
    const Efficiencies e = pop.Of(path);
    sheet.rows.push_back({uint64_t{path}, f.time.Total() > 0 ? f.time.InclusiveSum(path) / f.time.Total() : 0.0,
                          uint64_t{e.present}, e.parallel, e.load_balance, e.communication, e.mpi_parallel,
                          omp ? SheetCell(e.omp_parallel) : SheetCell(), LocationName(f.profile, e.busiest),
                          names.Of(path)});
  }
  return sheet;
}

}  // namespace

namespace {

void MakePopOfDifference(const Figures& f, const ViewOptions& options, const Pop& pop, ViewData* view) {
  view->text = NotOfADifference("efficiencies", "pop", options.terminal);
  view->totals = {{"runtime_s", {}},
                  {"processes", uint64_t{f.profile.processes.size()}},
                  {"threads", uint64_t{f.profile.locations.size()}}};
  for (const char* key :
       {"computation_s", "mpi_s", "openmp_s", "busiest", "left_out_s", "measurement_s", "polling_s"}) {
    view->totals.emplace_back(key, SheetCell());
  }
  for (const auto* group : {kTotalLines, kMpiLines, kOmpLines}) {
    for (size_t i = 0; i < 3; ++i) view->totals.emplace_back(group[i].key, SheetCell());
  }
  view->totals.emplace_back("verdict", "A difference of runs has no efficiencies.");
  view->sheets = {PhaseSheet(f, pop, true, true, 0)};
  view->sheets[0].rows.clear();
}

// Loops that ask MPI again and again wait, but the time between two of their calls counts as computation: a profile
// does not tell it from work.
struct Asked {
  double seconds = 0;  // between the calls, over all locations
  std::string text;    // empty: too little to matter
};

Asked AskedIn(const Figures& f, double computation, const view::Terminal& terminal) {
  constexpr double kMatters = 0.01;  // of all computation
  Asked asked;
  if (f.profile.processes.size() < 2) return asked;
  const std::vector<PollingLoop> loops = FindPolling(f);
  for (const PollingLoop& loop : loops) {
    for (const auto& [region, row] : loop.between) {
      for (const double seconds : row) asked.seconds += seconds;
    }
  }
  if (loops.empty() || asked.seconds < kMatters * computation) return asked;
  const PollingLoop& longest = loops.front();
  asked.text = "up to " + view::Seconds(asked.seconds, terminal.unicode) + " of " +
               view::Seconds(computation, terminal.unicode) +
               " of computation are between calls that ask MPI again and again (" +
               view::Printable(f.profile.regions[longest.asks].name) + " in " +
               view::ShortName(f.profile.regions[longest.region].name, 40, terminal) +
               (loops.size() > 1 ? ", and " + view::Plural(loops.size() - 1, "other loop") : "") +
               "); such loops wait, so the efficiencies may be lower";
  return asked;
}

}  // namespace

bool MakePop(const Figures& f, const ViewOptions& options, ViewData* view, std::string* /*error*/) {
  const view::Terminal& terminal = options.terminal;
  const Pop pop(f.profile);
  if (f.time.IsDifference()) {
    MakePopOfDifference(f, options, pop, view);
    return true;
  }
  const Efficiencies e = pop.Whole();
  const bool mpi = pop.HasMpi() && e.processes > 1;
  const bool omp = pop.HasOpenMp() && e.threads > e.processes;
  view->totals = {{"runtime_s", e.runtime},
                  {"processes", uint64_t{e.processes}},
                  {"threads", uint64_t{e.threads}},
                  {"computation_s", e.useful},
                  {"mpi_s", e.mpi},
                  {"openmp_s", e.omp},
                  {"busiest", f.profile.locations.empty() ? SheetCell() : LocationName(f.profile, e.busiest)}};
  view->totals.emplace_back("left_out_s", e.left_out);
  view->totals.emplace_back("measurement_s", e.measuring);
  const Asked asked = AskedIn(f, e.useful, terminal);
  view->totals.emplace_back("polling_s", asked.seconds);
  for (const auto* group : {kTotalLines, kMpiLines, kOmpLines}) {
    // A program without OpenMP has no OpenMP efficiency.
    const bool has = group != kOmpLines || omp;
    for (size_t i = 0; i < 3; ++i) {
      view->totals.emplace_back(group[i].key, has ? SheetCell(e.*group[i].value) : SheetCell());
    }
  }
  std::string verdict, lines;
  for (const std::string& sentence : analysis::Verdict(f.profile, e, mpi, omp, WaitedInMpi(f, options.findings))) {
    lines += view::Labelled(lines.empty() ? "verdict" : "", sentence, options.terminal.width);
    verdict += (verdict.empty() ? "" : " ") + sentence;
  }
  view->totals.emplace_back("verdict", verdict);
  std::string aside;
  if (e.left_out > 0) {
    aside = "starting and ending MPI: up to " + view::Seconds(e.left_out, terminal.unicode) + " of a process";
  }
  if (e.measuring > 0) {
    aside += (aside.empty() ? "" : "; ") + std::string("the measurement's own work: up to ") +
             view::Seconds(e.measuring, terminal.unicode) + " of a thread";
  }
  if (!aside.empty()) lines += view::Labelled("left out", aside, options.terminal.width);
  if (!asked.text.empty()) lines += view::Labelled("polling", asked.text, options.terminal.width);
  view->text = lines + "\n" + LinesInWords(kTotalLines, e, terminal);
  if (mpi && omp)
    view->text += "\n" + LinesInWords(kMpiLines, e, terminal) + "\n" + LinesInWords(kOmpLines, e, terminal);
  view->sheets = {PhaseSheet(f, pop, omp, mpi && omp, options.TopOr(kDefaultPhases))};
  if (!view->sheets[0].rows.empty()) view->text += "\n" + RenderSheet(view->sheets[0], 0, terminal);
  const auto any = [&](Class c) { return f.class_visits[static_cast<size_t>(c)] > 0; };
  view->next = std::string("`--load` shows each thread") + (any(Class::kMpi) ? ", `--mpi` each function of MPI" : "") +
               (any(Class::kOmp) ? ", `--omp` each parallel region" : "") +
               "; docs/pop.md (installed: share/doc/epik/docs) has the formulas.";
  return true;
}

}  // namespace epik::report
