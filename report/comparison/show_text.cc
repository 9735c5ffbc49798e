// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "report/comparison/show.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::report::comparison {

using report::Buffer;

namespace {

std::string ListOfNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + view::Printable(name);
  return text;
}

// "-": of no run, because its values are infinite or no numbers.
std::string WithDeviation(const Summary& summary, const std::string& unit, bool unicode) {
  if (summary.n == 0) return "-";
  std::string text = view::Amount(summary.mean, unit, unicode);
  if (summary.n > 1) text += (unicode ? " ± " : " +- ") + view::Amount(summary.deviation, unit, unicode);
  return text;
}

class TextComparison {
 public:
  TextComparison(const Runs& runs, const Comparison& comparison, const View& view, Buffer& out)
      : runs_(runs),
        comparison_(comparison),
        view_(view),
        unicode_(view.terminal.unicode),
        out_(out),
        paths_(view.terminal) {}

  void Head() {
    Line("before", ListOfNames(view_.before));
    Line("after", ListOfNames(view_.after));
    if (comparison_.wall.before.n > 0) Whole("wall", comparison_.wall, "sec", "");
    if (comparison_.metric != algebra::kWall) {
      const bool time = comparison_.unit == "sec";
      Whole(comparison_.metric, comparison_.total, comparison_.unit,
            time ? ", sums over all threads of all ranks" : "");
    }
    const std::string differ = internal::SizesDiffer(runs_, unicode_);
    if (!differ.empty()) out_ << view_.terminal.Warning(view::Labelled("warning", differ, view_.terminal.width));
  }

  void Note(const std::string& note) { Line("note", view::Printable(note)); }

  // Results of an analysis of the traces, for whole runs.
  void Waits() {
    if (comparison_.waits.empty()) return;
    using view::Figure;
    view::Table table({Figure("before", 2), Figure("after", 3), Figure("change"), Figure("%"),
                       Figure(comparison_.has_noise ? "p" : ""), view::Name("wait state")});
    for (const algebra::MetricChange& one : comparison_.waits) {
      table.AddRow({WithDeviation(one.total.before, "sec", unicode_), WithDeviation(one.total.after, "sec", unicode_),
                    internal::SignedAmount(one.total, "sec", unicode_), internal::SignedPercent(one.total),
                    comparison_.has_noise ? internal::ProbabilityText(one.total.Probability()) : "", one.label});
    }
    out_ << "\n" << view_.terminal.Bold("waiting") << "\n" << table.Render(view_.terminal);
  }

  // The call paths of all lists must look different, so all are known before the first list is shown.
  void Know(const std::vector<const PathChange*>& changes) {
    for (const PathChange* change : changes) {
      rows_[change] = paths_.Add(internal::Names(runs_.definitions(), change->path));
    }
  }

  void List(const char* title, const std::vector<const PathChange*>& changes) {
    if (changes.empty()) return;
    using view::Figure;
    const view::Terminal& terminal = view_.terminal;
    view::Table table({Figure("before", 2), Figure("after", 3), Figure("change"), Figure("%"),
                       Figure(comparison_.has_noise ? "p" : ""), Figure("visits", 1), view::Name("call path")});
    for (const PathChange* change : changes) {
      std::vector<view::Cell> cells = Row(*change);
      cells.emplace_back([this, change, &terminal](size_t width) {
        const std::string path = paths_.At(rows_.at(change), width);
        return change->significant ? terminal.Bold(path) : path;
      });
      table.AddRow(std::move(cells));
    }
    out_ << "\n" << terminal.Bold(title) << "\n" << table.Render(terminal);
  }

 private:
  std::vector<view::Cell> Row(const PathChange& change) const {
    const Change& figure = internal::Figure(change, view_);
    const std::string mark = !comparison_.has_noise ? "" : change.significant ? "* " : "  ";
    return {WithDeviation(figure.before, comparison_.unit, unicode_),
            WithDeviation(figure.after, comparison_.unit, unicode_),
            mark + internal::SignedAmount(figure, comparison_.unit, unicode_),
            internal::SignedPercent(figure),
            comparison_.has_noise ? internal::ProbabilityText(change.probability) : "",
            internal::Visits(change.visits, unicode_)};
  }

  // One figure of whole runs in a line.
  void Whole(const std::string& name, const Change& change, const std::string& unit, const char* what) {
    const std::string difference =
        internal::SignedAmount(change, unit, unicode_) + " (" + internal::SignedPercent(change) + ")";
    std::string text = WithDeviation(change.before, unit, unicode_) + (unicode_ ? " → " : " -> ") +
                       WithDeviation(change.after, unit, unicode_) + ", " + difference;
    if (comparison_.has_noise) text += ", p " + internal::ProbabilityText(change.Probability());
    Line(name, text + what, difference);
  }

  // `bold`: a part of the text, which is bold if it stays in one line.
  void Line(const std::string& name, const std::string& text, const std::string& bold = "") {
    const std::string first = name.size() >= kName ? name + " " : name;
    std::string lines = view::Wrapped(first, text, kName, view_.terminal.width);
    const size_t at = bold.empty() ? std::string::npos : lines.find(bold);
    if (at != std::string::npos) lines.replace(at, bold.size(), view_.terminal.Bold(bold));
    out_ << lines;
  }

  static constexpr size_t kName = 8;

  const Runs& runs_;
  const Comparison& comparison_;
  const View& view_;
  const bool unicode_;
  Buffer& out_;
  view::ShortPaths paths_;
  std::map<const PathChange*, size_t> rows_;  // of paths_
};

}  // namespace

void ShowText(const Runs& runs, const Comparison& comparison, const std::vector<Outcome>& outcomes, const View& view,
              const report::Sink& sink) {
  Buffer out(sink);
  TextComparison text(runs, comparison, view, out);
  text.Head();
  for (const std::string& note : runs.notes()) text.Note(note);
  const internal::Listed listed = internal::Choose(comparison, view);
  const bool time = comparison.unit == "sec";
  text.Know(listed.more);
  text.Know(listed.less);
  text.List(time ? "slower" : "more", listed.more);
  text.List(time ? "faster" : "less", listed.less);
  const bool lists = comparison.metric != algebra::kWall;
  if (lists && listed.more.empty() && listed.less.empty()) out << "\nNothing changed by more than can be shown.\n";
  if (listed.left_out > 0) {
    out << "\nand " << view::Plural(listed.left_out, "smaller change") << " (--top 0 --min 0 shows all)\n";
  }
  text.Waits();
  if (comparison.has_noise && lists) {
    const std::string what = view.inclusive ? "inclusive" : "exclusive";
    out << "\n"
        << view::Wrapped("* ",
                         "significant: more than runs differ among themselves (Welch's t-test on " + what +
                             " figures, 5 % false discoveries). p: how often chance alone makes such a difference.",
                         2, view.terminal.width);
  } else if (!comparison.has_noise && (!lists || !listed.more.empty() || !listed.less.empty())) {
    out << "\n"
        << view::Wrapped(
               "",
               "With one run each, nobody can tell change from noise. Name several: `epk diff A1 A2 A3 -- B1 B2 B3`", 0,
               view.terminal.width);
  }
  for (const Outcome& outcome : outcomes) {
    const std::string verdict = outcome.fired ? view.terminal.Alarm("FAILED") : "passed";
    out << "\n"
        << verdict << "  " << view::Printable(outcome.condition.text) << ": "
        << internal::Sentence(outcome, view.terminal.unicode);
  }
  if (!outcomes.empty()) out << "\n";
}

}  // namespace epik::report::comparison
