// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparison/show.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "archive/profile/path_names.h"
#include "report/json_string.h"
#include "view/exact.h"
#include "view/number.h"
#include "view/text.h"

namespace epik::report::comparison {

using archive::kNone;
using archive::Profile;
using report::Buffer;
using report::JsonString;

namespace internal {

const Change& Figure(const PathChange& change, const View& view) { return view.inclusive ? change.whole : change.own; }

Listed Choose(const Comparison& comparison, const View& view) {
  Listed listed;
  const double whole = std::max(std::fabs(comparison.total.before.mean), std::fabs(comparison.total.after.mean));
  for (const PathChange& change : comparison.paths) {
    const double difference = Figure(change, view).Difference();
    if (difference == 0) continue;
    if (std::fabs(difference) * 100 < whole * view.least_percent) {
      ++listed.left_out;
      continue;
    }
    (difference > 0 ? listed.more : listed.less).push_back(&change);
  }
  for (std::vector<const PathChange*>* list : {&listed.more, &listed.less}) {
    std::stable_sort(list->begin(), list->end(), [&](const PathChange* a, const PathChange* b) {
      return std::fabs(Figure(*a, view).Difference()) > std::fabs(Figure(*b, view).Difference());
    });
    if (view.top == 0 || list->size() <= view.top) continue;
    listed.left_out += list->size() - view.top;
    list->resize(view.top);
  }
  return listed;
}

std::vector<std::string_view> Names(const Profile& profile, uint32_t path) {
  std::vector<std::string_view> names;
  for (uint32_t p = path; p != kNone; p = profile.call_paths[p].parent) {
    const archive::Region& region = profile.regions[profile.call_paths[p].region];
    if (profile.call_paths[p].parent == kNone && region.role == "artificial" && p != path) break;
    names.push_back(region.name);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

bool IsKnown(const Change& change) { return change.unknown == 0 || (change.before.n != 0 && change.after.n != 0); }

std::string Side(const Summary& summary, const std::string& unit, bool unicode) {
  return summary.n == 0 ? "-" : view::Amount(summary.mean, unit, unicode);
}

std::string SignedAmount(const Change& change, const std::string& unit, bool unicode) {
  if (!IsKnown(change)) return "-";
  const double value = change.Difference();
  return (value < 0 ? "-" : "+") + view::Amount(std::fabs(value), unit, unicode);
}

std::string SignedPercent(const Change& change) {
  if (!IsKnown(change)) return "-";
  if (change.before.mean == 0) return change.after.mean == 0 ? "0.0 %" : "new";
  if (change.after.mean == 0) return "gone";
  char text[32];
  const double percent = change.Percent();
  std::snprintf(text, sizeof text, "%+.*f %%", std::fabs(percent) < 999.95 ? 1 : 0, percent);
  return text;
}

std::string Visits(const Change& visits, bool unicode) {
  const std::string before = view::Amount(std::round(visits.before.mean), "occ", unicode);
  const std::string after = view::Amount(std::round(visits.after.mean), "occ", unicode);
  return before == after ? before : before + (unicode ? " → " : " -> ") + after;
}

std::string Sentence(const Outcome& outcome, bool unicode) {
  const algebra::Condition& condition = outcome.condition;
  std::string text = condition.metric + (condition.region.empty() ? "" : " of " + view::Printable(condition.region));
  text += ": " + view::Amount(outcome.change.before.mean, outcome.unit, unicode) + (unicode ? " → " : " -> ") +
          view::Amount(outcome.change.after.mean, outcome.unit, unicode) + ", " +
          SignedAmount(outcome.change, outcome.unit, unicode) + " (" + SignedPercent(outcome.change) + ")";
  if (outcome.within_noise) text += ", but that is within the noise of the runs";
  return text;
}

std::string ProbabilityText(double probability) {
  if (!std::isfinite(probability)) return "-";
  if (probability < 0.001) return "<0.001";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", probability);
  return text;
}

std::string SizesDiffer(const Runs& runs, bool unicode) {
  if (runs.SameSize()) return "";
  const std::string_view times = unicode ? " × " : " x ";
  const auto size_of = [&](size_t run) {
    const Runs::Size size = runs.SizeOf(run);
    const bool even = size.ranks > 0 && size.threads % size.ranks == 0;
    return view::Plural(size.ranks, "rank") + (even ? std::string(times) : ", together ") +
           view::Plural(even ? size.threads / std::max<size_t>(size.ranks, 1) : size.threads, "thread");
  };
  // The first run that differs from the very first one: it may be on the same side.
  size_t other = 1;
  while (runs.SizeOf(other) == runs.SizeOf(0)) ++other;
  const std::string sizes =
      other < runs.before() ? "The runs before do not have the same size: " + size_of(0) + " and " + size_of(other)
      : other > runs.before()
          ? "The runs after do not have the same size: " + size_of(runs.before()) + " and " + size_of(other)
          : size_of(0) + " before, " + size_of(other) + " after";
  return sizes + ": sums over all threads do not show which run is faster. Compare wall times, or epk report --pop.";
}

}  // namespace internal

namespace {

std::string ToJson(const Summary& summary) {
  return "{\"mean\": " + view::JsonNumber(summary.mean) + ", \"deviation\": " + view::JsonNumber(summary.deviation) +
         "}";
}

std::string ToJson(const Change& change) {
  const auto side = [&](const Summary& summary) {
    return summary.n == 0 && change.unknown != 0 ? "{\"mean\": null, \"deviation\": null}" : ToJson(summary);
  };
  const bool known = internal::IsKnown(change);
  return "{\"before\": " + side(change.before) + ", \"after\": " + side(change.after) +
         ", \"difference\": " + (known ? view::JsonNumber(change.Difference()) : "null") +
         ", \"percent\": " + (known ? view::JsonNumber(change.Percent()) : "null") + "}";
}

// A change of the whole run as JSON; null when it is not known.
std::string ToJsonTested(const Change& change) {
  if (change.before.n == 0) return "null";
  std::string text = ToJson(change);
  text.pop_back();
  const bool told = change.before.n + change.after.n > 2;
  return text + ", \"probability\": " + (told ? view::JsonNumber(change.Probability()) : "null") + "}";
}

void PutList(const std::vector<std::string>& list, Buffer& out) {
  out << "[";
  for (size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << JsonString(list[i]);
  out << "]";
}

}  // namespace

void ShowJson(const Runs& runs, const Comparison& comparison, const std::vector<Outcome>& outcomes, const View& view,
              const report::Sink& sink) {
  Buffer out(sink);
  out << "{\"format\": \"epik-diff\", \"version\": 1,\n\"before\": ";
  PutList(view.before, out);
  out << ", \"after\": ";
  PutList(view.after, out);
  out << ",\n\"notes\": ";
  PutList(runs.notes(), out);
  out << ",\n\"metric\": " << JsonString(comparison.metric) << ", \"unit\": " << JsonString(comparison.unit)
      << ",\n\"wall\": " << ToJsonTested(comparison.wall)
      << ",\n\"same_size\": " << (runs.SameSize() ? "true" : "false")
      << ",\n\"total\": " << ToJsonTested(comparison.total) << ",\n\"waits\": [";
  for (size_t i = 0; i < comparison.waits.size(); ++i) {
    out << (i == 0 ? "\n" : ",\n") << "{\"metric\": " << JsonString(comparison.waits[i].metric)
        << ", \"change\": " << ToJsonTested(comparison.waits[i].total) << "}";
  }
  out << "],\n\"conditions\": [";
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    out << (i == 0 ? "\n" : ",\n") << "{\"condition\": " << JsonString(outcome.condition.text)
        << ", \"fired\": " << (outcome.fired ? "true" : "false")
        << ", \"within_noise\": " << (outcome.within_noise ? "true" : "false")
        << ", \"change\": " << ToJson(outcome.change) << "}";
  }
  out << "],\n\"call_paths\": [";
  const Profile& definitions = runs.definitions();
  const archive::PathNames names(definitions);
  for (size_t i = 0; i < comparison.paths.size(); ++i) {
    const PathChange& change = comparison.paths[i];
    const archive::Region& region = definitions.regions[definitions.call_paths[change.path].region];
    out << (i == 0 ? "\n" : ",\n") << "{\"path\": " << JsonString(names.Of(change.path))
        << ", \"region\": " << JsonString(region.name) << ", \"file\": " << JsonString(region.file)
        << ", \"exclusive\": " << ToJson(change.own) << ", \"inclusive\": " << ToJson(change.whole)
        << ", \"visits\": " << ToJson(change.visits)
        << ", \"probability\": " << (comparison.has_noise ? view::JsonNumber(change.probability) : "null")
        << ", \"significant\": "
        << (!comparison.has_noise ? "null"
            : change.significant  ? "true"
                                  : "false")
        << "}";
  }
  out << "\n]";
  if (!view.perturbation.empty()) out << ",\n\"perturbation\": " << view.perturbation;
  out << "}\n";
}

}  // namespace epik::report::comparison
