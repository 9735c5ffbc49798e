// SPDX-License-Identifier: BSD-3-Clause
// The time of each call path without measurement, from the profile alone. Where the program computes, it is exact
// except for the price of a visit; where others decide how long it waits, it is a bracket.
#include <algorithm>
#include <vector>

#include "analysis/approximation/path_times.h"
#include "analysis/approximation/prices.h"
#include "archive/files/manifest.h"
#include "archive/profile/path_names.h"
#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"

namespace epik::report {

using approximation::PathTime;
using Path = uint32_t;

namespace {

constexpr size_t kDefaultCompensated = 30;

Sheet SheetOf(const Figures& f, const std::vector<PathTime>& times) {
  Sheet sheet;
  sheet.key = "callpaths";
  sheet.columns = {{"measured_s", "measured", Unit::kSeconds, 2},
                   {"lower_s", "without: least", Unit::kSeconds},
                   {"upper_s", "most", Unit::kSeconds},
                   {"decided_by", "decided by", Unit::kText, 1},
                   {"callpath", "call path", Unit::kText}};
  sheet.hidden_prefix = RootPrefix(f);
  std::vector<Path> order;
  for (Path path = 0; path < times.size(); ++path) {
    if (times[path].measured > 0) order.push_back(path);
  }
  std::stable_sort(order.begin(), order.end(), [&](Path a, Path b) { return times[a].measured > times[b].measured; });
  const archive::PathNames names(f.profile);
  for (const Path path : order) {
    const PathTime& time = times[path];
    sheet.rows.push_back(
        {time.measured, time.least, time.most, std::string(time.waits ? "others" : "itself"), names.Of(path)});
  }
  return sheet;
}

}  // namespace

bool MakeCompensated(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  if (options.manifest == nullptr || f.profile.FindMetric("time") == archive::kNone) {
    *error = "no times, or nothing about what measuring them cost: an archive of a run has both";
    return false;
  }
  if (options.manifest->approximation.there) {
    *error = "this is a run without measurement already: an approximation of " + options.manifest->approximation.of;
    return false;
  }
  const approximation::Prices prices(f.profile, *options.manifest);
  if (!prices.IsKnown()) {
    *error = "what measuring a call cost is not known: archives of earlier versions do not say it";
    return false;
  }
  const std::vector<PathTime> times = TimesWithout(f.profile, prices);
  double measured = 0, computed_least = 0, computed_most = 0, waited = 0;
  for (const PathTime& time : times) {
    measured += time.measured;
    (time.waits ? waited : computed_least) += time.waits ? time.measured : time.least;
    if (!time.waits) computed_most += time.most;
  }
  view->totals = {{"measured_s", measured},
                  {"pair_cost_ns", prices.pair_ns()},
                  {"pair_cost_spread", prices.spread()},
                  {"computation_lower_s", computed_least},
                  {"computation_upper_s", computed_most},
                  {"waiting_measured_s", waited}};
  view->sheets = {SheetOf(f, times)};
  const view::Terminal& terminal = options.terminal;
  const auto seconds = [&](double s) { return view::Seconds(s, terminal.unicode); };
  const auto prose = [&](const std::string& text) { return view::Wrapped("", text, 0, terminal.width); };
  view->text = prose("own time of call paths in all threads, as measured and without measurement, at " +
                     seconds(prices.pair_ns() * 1e-9) + " " + std::string(terminal.PlusMinus()) + " " +
                     view::Share(prices.spread()) + " a visit") +
               "\n" + RenderSheet(view->sheets[0], options.TopOr(kDefaultCompensated), terminal) + "\n" +
               prose(
                   "itself: it computes, and its visits' cost is taken off. others: it waits, and between the bounds "
                   "lies what these waits have to do with measuring; `epk compensate` tells more by a trace.");
  view->next = "`epk compensate` tells how long the run takes without measurement; `--format csv` has every call path.";
  return true;
}

}  // namespace epik::report
