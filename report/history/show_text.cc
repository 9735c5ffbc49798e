// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "report/history/show.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::report {

using analysis::Figure;
using analysis::Jump;
using analysis::Series;
using view::Align;
using view::Style;

namespace internal {

std::string Value(const Figure& figure, double value) {
  if (!std::isfinite(value)) return "-";
  return figure.unit == Figure::Unit::kSeconds ? view::Seconds(value) : view::Share(value);
}

std::string Change(double before, double after) {
  if (!std::isfinite(before) || !std::isfinite(after) || before == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", (after - before) / std::fabs(before) * 100);
  return text;
}

std::string ShortRevision(const std::string& revision) { return revision.empty() ? "-" : revision.substr(0, 8); }

std::string Day(const std::string& started) {
  std::string text = started.substr(0, 16);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string When(const analysis::HistoryRun& run) {
  return (run.revision.empty() ? "" : ShortRevision(run.revision) + ", ") + Day(run.started);
}

std::string SizeOf(const Series& series, bool unicode) {
  return view::Plural(static_cast<uint64_t>(series.ranks), "rank", "ranks") + (unicode ? " × " : " x ") +
         view::Plural(static_cast<uint64_t>(series.threads), "thread", "threads");
}

std::string WhyMoreThanCpuTime(const analysis::History& history) {
  const auto& all = history.series;
  if (std::none_of(all.begin(), all.end(), [](const Series& series) { return series.is_oversubscribed; })) return "";
  return "computation and times in regions are time that passed: in runs on an oversubscribed machine, others had the "
         "processors for a part of it, which is no CPU time.";
}

std::string RunsIn(const Series& series) { return view::Plural(series.runs.size(), "run", "runs"); }

}  // namespace internal

namespace {

constexpr double kSignificance = 0.05;
constexpr size_t kMostRuns = 20;    // only the latest ones are listed
constexpr size_t kMostColumns = 4;  // figures beside a run
constexpr size_t kArchiveRoom = 32;

std::string Probability(double probability) {
  if (probability >= 1) return "";
  if (probability < 0.001) return "<0.001";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", probability);
  return text;
}

Style Tone(const Figure& figure, double difference) {
  return (difference > 0) == figure.less_is_better ? Style::kBad : Style::kGood;
}

std::string Describe(const Figure& figure, const Jump& jump, const Series& series) {
  const analysis::HistoryRun& run = series.runs[jump.at];
  return "since run " + std::to_string(jump.at + 1) + " (" + internal::When(run) +
         "): " + internal::Value(figure, jump.before) + " to " + internal::Value(figure, jump.after) + ", " +
         internal::Change(jump.before, jump.after) + ", p " + Probability(jump.probability);
}

std::string FiguresOf(const Series& series, const view::Terminal& terminal) {
  view::Table table({{"figure", Align::kLeft, true, view::Cut::kMiddle},
                     {"first", Align::kRight},
                     {"last", Align::kRight},
                     {"change", Align::kRight},
                     view::Figure("a run", 1),
                     view::Figure("p", 2)});
  constexpr size_t kLongestName = 40;
  std::vector<std::string_view> full;
  for (const Figure& figure : series.figures) full.emplace_back(figure.name);
  const std::vector<std::string> names = view::ShortNames(full, kLongestName, terminal);
  for (size_t f = 0; f < series.figures.size(); ++f) {
    const Figure& figure = series.figures[f];
    const size_t first = figure.FirstRun(), last = figure.LastRun();
    if (first >= figure.values.size()) continue;
    const double before = figure.values[first], after = figure.values[last];
    const bool drifts = figure.trend.probability < kSignificance && figure.trend.per_run != 0;
    const Style tone = drifts ? Tone(figure, figure.trend.per_run) : Style::kPlain;
    const bool is_one = first == last;  // both are the same run
    table.AddRow({names[f],
                  internal::Value(figure, before),
                  internal::Value(figure, after),
                  is_one ? "-" : internal::Change(before, after),
                  {is_one ? "-" : internal::Change(before, before + figure.trend.per_run), tone},
                  Probability(figure.trend.probability)});
    for (const Jump& jump : figure.jumps) {
      table.AddNote(1, {Describe(figure, jump, series), Tone(figure, jump.after - jump.before)});
    }
  }
  return table.Render(terminal);
}

std::string RunsOf(const Series& series, const view::Terminal& terminal) {
  std::vector<view::Column> columns = {view::Figure("run"), {"started"}, {.header = "revision", .spare = 1}};
  const size_t shown = std::min(series.figures.size(), kMostColumns);
  for (size_t f = 0; f < shown; ++f) columns.push_back(view::Figure(series.figures[f].name, static_cast<int>(f)));
  const size_t first = series.runs.size() > kMostRuns ? series.runs.size() - kMostRuns : 0;
  // Archives differ at their ends: epik_solver_4x2_sum, epik_solver_4x2_sum.1. Figures are left out before these are
  // cut.
  size_t longest = 0;
  for (size_t r = first; r < series.runs.size(); ++r) {
    longest = std::max(longest, view::Width(view::Printable(series.runs[r].path)));
  }
  columns.push_back({.header = "archive", .flexible = true, .least = std::min(longest, kArchiveRoom)});
  view::Table table(columns);
  for (size_t r = first; r < series.runs.size(); ++r) {
    const analysis::HistoryRun& run = series.runs[r];
    std::vector<view::Cell> cells = {std::to_string(r + 1), internal::Day(run.started),
                                     internal::ShortRevision(run.revision)};
    for (size_t f = 0; f < shown; ++f) {
      const Figure& figure = series.figures[f];
      const bool jumps =
          std::any_of(figure.jumps.begin(), figure.jumps.end(), [&](const Jump& jump) { return jump.at == r; });
      cells.emplace_back((jumps ? "* " : "") + internal::Value(figure, figure.values[r]),
                         jumps ? Style::kBold : Style::kPlain);
    }
    cells.emplace_back(view::Cell([path = view::Printable(run.path), &terminal](size_t width) {
      return view::Shorten(path, width, view::Cut::kStart, terminal.Ellipsis());
    }));
    table.AddRow(std::move(cells));
  }
  std::string text = table.Render(terminal);
  if (first > 0) text += "and " + std::to_string(first) + " earlier runs (--format json has all)\n";
  return text;
}

// Returns a line with program, size, machine and runs. The name of a machine may be long.
std::string HeadingOf(const Series& series, const view::Terminal& terminal) {
  const std::string title = view::Printable(series.title), size = internal::SizeOf(series, terminal.unicode);
  const std::string runs = internal::RunsIn(series);
  const size_t others = view::Width(title) + view::Width(size) + view::Width(runs) + 6;
  constexpr size_t kLeast = 8;
  const size_t room = std::max(kLeast, terminal.width > others ? terminal.width - others : 0);
  return terminal.Paint(Style::kBold, title) + "  " + size + "  " +
         view::Shorten(view::Printable(series.host_class), room, view::Cut::kMiddle, terminal.Ellipsis()) + "  " + runs;
}

}  // namespace

void ShowHistoryText(const analysis::History& history, const view::Terminal& terminal, const Sink& sink) {
  Buffer out(sink);
  for (const Series& series : history.series) {
    if (&series != &history.series.front()) out << "\n\n";
    out << HeadingOf(series, terminal) << "\n\n";
    out << FiguresOf(series, terminal) << "\n" << RunsOf(series, terminal);
  }
  const auto say = [&](const std::string& sentence) { out << view::Wrapped("", sentence, 0, terminal.width); };
  out << "\n";
  say("a run: the median change from run to run; p: how often chance alone orders runs like that.");
  say("*: the level changes there, by more than runs differ among themselves.");
  if (const std::string why = internal::WhyMoreThanCpuTime(history); !why.empty()) say(why);
  for (const std::string& sentence : history.left_out) say(view::Printable(sentence));
}

}  // namespace epik::report
