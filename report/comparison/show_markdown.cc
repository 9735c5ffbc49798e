// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparison/show.h"
#include "report/exports/markdown.h"
#include "view/number.h"
#include "view/text.h"

namespace epik::report::comparison {

using internal::Figure;
using report::Buffer;
using report::MarkdownCode;

namespace {

// Names of EPIK stand as words. Any other name may hold HTML, or what Markdown takes for its own.
std::string NameOf(const std::string& metric) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-, ";
  std::string plain = metric;
  std::erase(plain, '_');  // within a word, it is no mark
  return plain.find_first_not_of(kPlain) == plain.npos ? metric : MarkdownCode(metric);
}

std::string ListOfCode(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + MarkdownCode(name);
  return text;
}

void List(const Runs& runs, const Comparison& comparison, const View& view, const char* title,
          const std::vector<const PathChange*>& changes, Buffer& out) {
  if (changes.empty()) return;
  const bool noise = comparison.has_noise;
  out << "\n**" << title << "**\n\n| before | after | change | |" << (noise ? " p |" : "") << " visits | call path |\n"
      << "|--:|--:|--:|--:|" << (noise ? "--:|" : "") << "--:|---|\n";
  for (const PathChange* change : changes) {
    const Change& figure = Figure(*change, view);
    // Paths are not shortened, because a page has no fixed width, unlike a terminal.
    std::string path;
    for (const std::string_view name : internal::Names(runs.definitions(), change->path)) {
      path += (path.empty() ? "" : " > ") + std::string(name);
    }
    const std::string difference = internal::SignedAmount(figure, comparison.unit, true);
    out << "| " << internal::Side(figure.before, comparison.unit, true) << " | "
        << internal::Side(figure.after, comparison.unit, true) << " | "
        << (change->significant ? "**" + difference + "**" : difference) << " | " << internal::SignedPercent(figure)
        << " | " << (noise ? internal::ProbabilityText(change->probability) + " | " : "")
        << internal::Visits(change->visits, true) << " | " << MarkdownCode(path) << " |\n";
  }
}

void Waits(const Comparison& comparison, Buffer& out) {
  if (comparison.waits.empty()) return;
  out << "\n**waiting**\n\n| before | after | change | | wait state |\n|--:|--:|--:|--:|---|\n";
  for (const algebra::MetricChange& one : comparison.waits) {
    out << "| " << view::Amount(one.total.before.mean, "sec", true) << " | "
        << view::Amount(one.total.after.mean, "sec", true) << " | " << internal::SignedAmount(one.total, "sec", true)
        << " | " << internal::SignedPercent(one.total) << " | " << NameOf(one.label) << " |\n";
  }
}

}  // namespace

void ShowMarkdown(const Runs& runs, const Comparison& comparison, const std::vector<Outcome>& outcomes,
                  const View& view, const report::Sink& sink) {
  Buffer out(sink);
  const Change& total = comparison.total;
  const auto sides = [&](const Change& change, const std::string& unit) {
    return internal::Side(change.before, unit, true) + " → " + internal::Side(change.after, unit, true) + ", " +
           internal::SignedAmount(change, unit, true) + " (" + internal::SignedPercent(change) + ")" +
           (comparison.has_noise ? ", p " + internal::ProbabilityText(change.Probability()) : "");
  };
  // If the runs have the wall time, it comes first, because other times are sums over threads.
  const Change& headline = comparison.wall.before.n > 0 ? comparison.wall : total;
  out << "### " << (comparison.wall.before.n > 0 ? algebra::kWall : NameOf(comparison.metric)) << ": "
      << sides(headline, comparison.wall.before.n > 0 ? "sec" : comparison.unit)
      << "\n\nbefore: " << ListOfCode(view.before) << "  \nafter: " << ListOfCode(view.after);
  // When wall time is compared, the headline has said this already. Two spaces at the end of a line break it in
  // Markdown.
  if (comparison.metric != algebra::kWall) {
    out << "  \n"
        << NameOf(comparison.metric) << ": " << sides(total, comparison.unit)
        << (comparison.unit == "sec" ? ", sums over all threads of all ranks" : "");
  }
  out << "\n";
  const std::string differ = internal::SizesDiffer(runs, true);
  if (!differ.empty()) out << "\n> ⚠️ " << differ << "\n";
  // Conditions come before the tables, because a job of CI passes or fails by them.
  if (!outcomes.empty()) out << "\n";
  for (const Outcome& outcome : outcomes) {
    out << "- " << (outcome.fired ? "❌ " : "✅ ") << MarkdownCode(outcome.condition.text) << ": "
        << internal::Sentence(outcome, true) << "\n";
  }
  const internal::Listed listed = internal::Choose(comparison, view);
  const bool time = comparison.unit == "sec";
  List(runs, comparison, view, time ? "slower" : "more", listed.more, out);
  List(runs, comparison, view, time ? "faster" : "less", listed.less, out);
  if (listed.left_out > 0) out << "\nand " << view::Plural(listed.left_out, "smaller change") << "\n";
  Waits(comparison, out);
  if (comparison.has_noise && !comparison.paths.empty()) out << "\nBold: more than runs differ among themselves.\n";
  for (const std::string& note : runs.notes()) out << "\nNote: " << view::Printable(note) << "\n";
}

}  // namespace epik::report::comparison
