// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "report/views/found.h"
#include "report/views/views.h"
#include "view/number.h"

namespace epik::report {

using findings::CriticalPath;
using findings::Segment;

namespace {

constexpr size_t kDefaultPathPlaces = 20, kDefaultStretches = 20;

Sheet Segments(const CriticalPath& path) {
  Sheet sheet;
  sheet.key = "critical";
  sheet.columns = {{"from_s", "from", Unit::kSeconds},
                   {"to_s", "to", Unit::kSeconds},
                   {"rank", "rank", Unit::kCount},
                   {"thread", "thread", Unit::kCount},
                   {"callpath", "call path", Unit::kText}};
  for (const Segment& segment : path.segments) {
    sheet.rows.push_back({segment.from_s, segment.to_s, static_cast<uint64_t>(std::max(segment.who.rank, 0)),
                          static_cast<uint64_t>(std::max(segment.who.thread, 0)), segment.callpath});
  }
  return sheet;
}

// Threads beside the first one have no call open until they start, the first one where the trace lacks its calls.
template <class Part>
std::string PlaceOf(const Part& part) {
  if (!part.callpath.empty()) return part.callpath;
  return part.who.thread > 0 ? "(thread not started)" : "(outside of all calls)";
}

std::vector<std::pair<double, std::string>> Largest(const std::map<std::string, double>& seconds) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, s] : seconds) sorted.emplace_back(s, name);
  // Call paths with the same time keep the order of their names, so the same path gives the same text.
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return sorted;
}

Sheet Places(const CriticalPath& path, const std::string& root) {
  std::map<std::string, double> seconds;
  for (const findings::OnPath& place : path.places) seconds[PlaceOf(place)] += place.seconds;
  if (path.places.empty()) {
    for (const Segment& segment : path.segments) seconds[PlaceOf(segment)] += segment.to_s - segment.from_s;
  }
  const double all = path.end_s - path.begin_s;
  Sheet sheet;
  sheet.key = "places";
  sheet.hidden_prefix = root;
  sheet.columns = {
      {"seconds", "time", Unit::kSeconds}, {"share", "%", Unit::kShare}, {"callpath", "call path", Unit::kText}};
  for (const auto& [s, name] : Largest(seconds)) {
    sheet.rows.push_back({s, all > 0 ? s / all : 0.0, name});
  }
  return sheet;
}

// The stretches in which the path stays with one thread, each with the call path that has most of it.
Sheet Stretches(const CriticalPath& path, const std::string& root) {
  Sheet sheet;
  sheet.hidden_prefix = root;
  sheet.key = "stretches";
  sheet.columns = {{"from_s", "from", Unit::kSeconds},
                   {"to_s", "to", Unit::kSeconds},
                   {"seconds", "time", Unit::kSeconds},
                   {"who", "on", Unit::kText},
                   {"callpath", "mostly in", Unit::kText}};
  for (size_t s = 0; s < path.segments.size();) {
    const Segment& first = path.segments[s];
    std::map<std::string, double> seconds;
    // The inner loop takes at least the first segment: the outer one ends, and `seconds` is not empty.
    double to = first.from_s;
    for (; s < path.segments.size(); ++s) {
      const Segment& next = path.segments[s];
      if (next.who.rank != first.who.rank || next.who.thread != first.who.thread) break;
      seconds[PlaceOf(next)] += next.to_s - next.from_s;
      to = next.to_s;
    }
    sheet.rows.push_back({first.from_s, to, to - first.from_s, NameOf(first.who), Largest(seconds).front().second});
  }
  return sheet;
}

// Whether call paths that no segment has take more than a trifle of the path.
bool HasEstimates(const CriticalPath& path) {
  constexpr double kTrifle = 0.001;
  std::set<std::string_view> logged;
  for (const Segment& segment : path.segments) logged.insert(segment.callpath);
  double estimated = 0;
  for (const findings::OnPath& place : path.places) {
    if (!logged.contains(place.callpath)) estimated += place.seconds;
  }
  return estimated > kTrifle * (path.end_s - path.begin_s);
}

}  // namespace

bool MakeCritical(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* error) {
  if (options.findings == nullptr) {
    *error = "this archive has no critical path: epk analyze finds it in a trace";
    return false;
  }
  // A profile has no order in time, so the path comes from the findings alone. CSV shows the first sheet: all segments.
  const CriticalPath& path = options.findings->critical;
  view->sheets.push_back(Segments(path));
  view->sheets.push_back(Places(path, RootPrefix(figures)));
  view->sheets.push_back(Stretches(path, RootPrefix(figures)));
  view->totals = {{"begin_s", path.begin_s}, {"end_s", path.end_s}, {"unknown_s", path.unknown_s}};
  const bool unicode = options.terminal.unicode;
  view->text = "The length of the run depends on these " + view::Seconds(path.end_s - path.begin_s, unicode) +
               ", its critical path.\n";
  if (path.unknown_s > 0) {
    view->text += "In " + view::Seconds(path.unknown_s, unicode) +
                  " of it somebody waited, and the trace does not have for whom.\n";
  }
  if (options.findings->by_summary && HasEstimates(path)) view->text += EstimateInWords(options.terminal);
  view->text += "\n" + RenderSheet(view->sheets[1], options.TopOr(kDefaultPathPlaces), options.terminal) +
                "\nThe path\n" + RenderSheet(view->sheets[2], options.TopOr(kDefaultStretches), options.terminal);
  view->next = "`--critical --format csv` has all segments; `--causes` says what made others wait.";
  return true;
}

}  // namespace epik::report
