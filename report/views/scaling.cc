// SPDX-License-Identifier: BSD-3-Clause
// One program at several scales: efficiencies side by side.
#include "analysis/scaling.h"

#include <algorithm>

#include "archive/profile/path_names.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

using analysis::Efficiencies;
using analysis::Scale;
using analysis::Scaling;

constexpr size_t kDefaultScaledPhases = 12;
constexpr double kLeastScaledShare = 0.02;
constexpr size_t kLabelWidth = 32;

enum class When : uint8_t { kAlways, kHybrid, kCounted };

struct ScaledLine {
  const char *key, *label;
  int level;
  double (*value)(const Scale&);
  When when = When::kAlways;
};

constexpr ScaledLine kLines[] = {
    {"global_efficiency", "Global efficiency", 0, [](const Scale& s) { return s.global; }},
    {"parallel_efficiency", "Parallel efficiency", 1, [](const Scale& s) { return s.e.parallel; }},
    {"load_balance", "Load balance", 2, [](const Scale& s) { return s.e.load_balance; }},
    {"communication_efficiency", "Communication efficiency", 2, [](const Scale& s) { return s.e.communication; }},
    {"mpi_parallel_efficiency", "MPI parallel efficiency", 2, [](const Scale& s) { return s.e.mpi_parallel; },
     When::kHybrid},
    {"mpi_load_balance", "Balance of the ranks", 3, [](const Scale& s) { return s.e.mpi_load_balance; }, When::kHybrid},
    {"mpi_communication_efficiency", "Communication", 3, [](const Scale& s) { return s.e.mpi_communication; },
     When::kHybrid},
    {"omp_parallel_efficiency", "OpenMP parallel efficiency", 2, [](const Scale& s) { return s.e.omp_parallel; },
     When::kHybrid},
    {"omp_load_balance", "Balance of the threads", 3, [](const Scale& s) { return s.e.omp_load_balance; },
     When::kHybrid},
    {"omp_thread_activity", "Threads active", 3, [](const Scale& s) { return s.e.omp_region; }, When::kHybrid},
    {"computation_scaling", "Computation scaling", 1, [](const Scale& s) { return s.computation; }},
    {"instruction_scaling", "Instructions", 2, [](const Scale& s) { return s.instruction; }, When::kCounted},
    {"ipc_scaling", "Instructions per cycle", 2, [](const Scale& s) { return s.ipc; }, When::kCounted},
    {"frequency_scaling", "Clock frequency", 2, [](const Scale& s) { return s.frequency; }, When::kCounted},
};

bool IsShown(const ScaledLine& line, bool hybrid, bool counted) {
  return line.when == When::kAlways || (line.when == When::kHybrid && hybrid) ||
         (line.when == When::kCounted && counted);
}

// The cell of a run that lacks the call path, or the counter, is empty.
SheetCell CellOf(const ScaledLine& line, const Scale& scale) {
  const double value = line.value(scale);
  return scale.e.threads == 0 || (line.when == When::kCounted && value == 0) ? SheetCell() : SheetCell(value);
}

std::vector<SheetColumn> Columns(bool hybrid, bool counted) {
  std::vector<SheetColumn> columns;
  for (const ScaledLine& line : kLines) {
    columns.push_back({line.key, IsShown(line, hybrid, counted) ? line.label : "", Unit::kShare});
  }
  return columns;
}

Sheet ScaleSheet(const std::vector<Scale>& scales, const std::vector<std::string>& names, bool hybrid, bool counted) {
  Sheet sheet{"scales",
              {{"processes", "ranks", Unit::kCount},
               {"threads", "threads", Unit::kCount},
               {"runtime_s", "runtime", Unit::kSeconds},
               {"computation_s", "", Unit::kSeconds},
               {"speedup", "speedup", Unit::kRatio}},
              {}};
  for (const SheetColumn& column : Columns(hybrid, counted)) sheet.columns.push_back(column);
  sheet.columns.push_back({"archive", "archive", Unit::kText});
  for (size_t i = 0; i < scales.size(); ++i) {
    const Scale& s = scales[i];
    auto& row = sheet.rows.emplace_back(
        std::vector<SheetCell>{uint64_t{s.e.processes}, uint64_t{s.e.threads}, s.e.runtime, s.e.useful, s.speedup});
    for (const ScaledLine& line : kLines) row.push_back(CellOf(line, s));
    row.emplace_back(names[i]);
  }
  return sheet;
}

// Has a row for each phase and run; the runs of a phase are together.
Sheet PhaseSheet(const Scaling& scaling, const std::vector<std::string>& names, bool hybrid, bool counted,
                 size_t most) {
  Sheet sheet{"callpaths",
              {{"threads", "threads", Unit::kCount},
               {"runtime_s", "runtime", Unit::kSeconds},
               {"speedup", "speedup", Unit::kRatio}},
              {}};
  for (const SheetColumn& column : Columns(hybrid, counted)) sheet.columns.push_back(column);
  sheet.columns.push_back({"archive", "", Unit::kText});
  sheet.columns.push_back({"callpath", "call path", Unit::kText});
  const size_t all = scaling.smallest().call_paths.size();
  const archive::PathNames paths(scaling.smallest());
  for (const uint32_t path : scaling.Phases(most == 0 ? all : most, kLeastScaledShare)) {
    const std::vector<Scale> scales = scaling.Of(path);
    for (size_t i = 0; i < scales.size(); ++i) {
      const Scale& s = scales[i];
      if (s.e.threads == 0) continue;
      auto& row = sheet.rows.emplace_back(std::vector<SheetCell>{uint64_t{s.e.threads}, s.e.runtime, s.speedup});
      for (const ScaledLine& line : kLines) row.push_back(CellOf(line, s));
      row.emplace_back(names[i]);
      row.emplace_back(paths.Of(path));
    }
  }
  return sheet;
}

// Has runs in columns and efficiencies in rows, as in POP's tables.
class Matrix {
 public:
  explicit Matrix(const view::Terminal& terminal) : ink_(terminal) {}

  void Row(const std::string& label, const std::vector<std::string>& cells, bool bold) {
    std::string text = view::PadRight(label, kLabelWidth);
    for (const std::string& cell : cells) text += view::PadLeft(cell, kCellWidth);
    text_ += (bold ? ink_.Bold(text) : text) + "\n";
  }
  void Gap() { text_ += "\n"; }
  std::string Take() { return std::move(text_); }

 private:
  static constexpr size_t kCellWidth = 11;
  const view::Terminal& ink_;
  std::string text_;
};

std::string Table(const std::vector<Scale>& scales, bool hybrid, bool counted, const view::Terminal& terminal) {
  Matrix matrix(terminal);
  const auto row = [&](const std::string& label, bool bold, auto&& text) {
    std::vector<std::string> cells;
    for (const Scale& scale : scales) cells.push_back(text(scale));
    matrix.Row(label, cells, bold);
  };
  row("ranks", false, [](const Scale& s) { return view::Count(s.e.processes); });
  row("threads", true, [](const Scale& s) { return view::Count(s.e.threads); });
  row("runtime", false, [&](const Scale& s) { return view::Seconds(s.e.runtime, terminal.unicode); });
  row("speedup", false, [](const Scale& s) { return view::Ratio(s.speedup); });
  matrix.Gap();
  for (const ScaledLine& line : kLines) {
    if (!IsShown(line, hybrid, counted)) continue;
    row(std::string(static_cast<size_t>(2 * line.level), ' ') + line.label, line.level < 2,
        [&](const Scale& s) { return view::Percent(line.value(s), 1) + " %"; });
  }
  return matrix.Take();
}

// Has a row for each phase: its global efficiency and computation scaling in each run.
std::string PhaseTable(const Scaling& scaling, size_t most, size_t width, const view::Terminal& terminal,
                       const std::string& prefix) {
  constexpr size_t kCell = 8;
  const size_t all = scaling.smallest().call_paths.size();
  const std::vector<uint32_t> phases = scaling.Phases(most == 0 ? all : most, kLeastScaledShare);
  if (phases.empty()) return "";
  std::string heads, out;
  for (const Scale& scale : scaling.Whole()) heads += view::PadLeft(view::Count(scale.e.threads), kCell);
  const size_t half = std::max<size_t>(heads.size(), 14);
  out += terminal.Bold(view::PadLeft("global", half) + view::PadLeft("computation", half)) + "\n";
  const bool wide = width >= 2 * half + 34;
  out += terminal.Bold(view::PadLeft(heads, half) + view::PadLeft(heads, half) +
                       (wide ? "  call path, by number of threads" : "  call path, by threads")) +
         "\n";
  const size_t room = width > 2 * half + 2 ? width - 2 * half - 2 : 20;
  const archive::PathNames names(scaling.smallest());
  view::ShortPaths paths(terminal);
  std::vector<std::pair<std::string, size_t>> rows;
  for (const uint32_t path : phases) {
    std::string global, computation;
    for (const Scale& scale : scaling.Of(path)) {
      global += view::PadLeft(scale.e.threads == 0 ? "" : view::Percent(scale.global, 1), kCell);
      computation += view::PadLeft(scale.e.threads == 0 ? "" : view::Percent(scale.computation, 1), kCell);
    }
    std::string name = names.Of(path);
    if (!prefix.empty() && name.starts_with(prefix)) name.erase(0, prefix.size());
    rows.emplace_back(view::PadLeft(global, half) + view::PadLeft(computation, half) + "  ",
                      paths.AddPath(std::move(name)));
  }
  for (const auto& [figures, row] : rows) out += figures + paths.At(row, room) + "\n";
  return out;
}

std::string RootOf(const archive::Profile& profile) {
  if (profile.call_paths.empty() || profile.call_paths[0].parent != archive::kNone) return "";
  const archive::Region& region = profile.regions[profile.call_paths[0].region];
  return region.role == "artificial" ? region.name + " > " : "";
}

}  // namespace

void MakeScaling(const std::vector<const archive::Profile*>& profiles, const std::vector<std::string>& names,
                 analysis::Problem problem, const ViewOptions& options, ViewData* view) {
  const Scaling scaling(profiles, problem);
  const std::vector<Scale> scales = scaling.Whole();
  std::vector<std::string> ordered;
  for (const size_t i : scaling.order()) ordered.push_back(names[i]);
  const bool hybrid = scaling.HasMpi() && scaling.HasOpenMp();
  const bool counted =
      std::all_of(scales.begin(), scales.end(), [](const Scale& s) { return s.instructions > 0 && s.cycles > 0; });
  const size_t most = options.TopOr(kDefaultScaledPhases);
  const std::string prefix = RootOf(scaling.smallest());
  view->name = "scaling";
  std::string verdict;
  for (const std::string& sentence : Verdict(scaling, scales)) {
    view->text += view::Labelled(verdict.empty() ? "verdict" : "", sentence, options.terminal.width);
    verdict += (verdict.empty() ? "" : " ") + sentence;
  }
  view->totals = {{"problem", std::string(problem == analysis::Problem::kGrows ? "weak" : "strong")},
                  {"verdict", verdict}};
  view->sheets = {ScaleSheet(scales, ordered, hybrid, counted), PhaseSheet(scaling, ordered, hybrid, counted, most)};
  view->sheets[1].hidden_prefix = prefix;
  for (size_t i = 0; i < ordered.size(); ++i) {
    view->text += view::Labelled(i == 0 ? "runs" : "", view::Printable(ordered[i]), options.terminal.width);
  }
  view->text += "\n" + Table(scales, hybrid, counted, options.terminal);
  const std::string phases = PhaseTable(scaling, most, options.terminal.width, options.terminal, prefix);
  if (!phases.empty()) view->text += "\n" + phases;
}

}  // namespace epik::report
