// SPDX-License-Identifier: BSD-3-Clause
// The total of each counter, its spread over threads, and the call paths with most of it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "analysis/derived.h"
#include "archive/metrics/metric_tree.h"
#include "archive/profile/absence.h"
#include "archive/profile/absent_locations.h"
#include "archive/profile/path_names.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/table.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

using archive::kNone;
using archive::Type;
using Path = uint32_t;

constexpr size_t kDefaultPaths = 5;
// Metrics outside of the tree that are no counters: EPIK's, then Score-P's.
constexpr std::string_view kOurs[] = {"min_time", "max_time", "time_squares", "unfinished"};
constexpr std::string_view kTheirs[] = {"bytes_sent", "bytes_received", "task_migration_loss", "task_migration_win"};

template <size_t n>
bool IsIn(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// A program may give its own metric a name that Score-P uses. EPIK has no other name to display for it.
bool IsProgramsOwn(const archive::Metric& metric) { return metric.display_name == metric.unique_name; }

// A counter that was measured, or is computed from measured ones.
struct Counter {
  std::string name, unit;
  std::string missing;       // why it could not be measured, with the ranks unless it was missing on all
  std::vector<bool> absent;  // by location; empty: on no location
  std::string formula;
  bool peak = false;
  // By call path, over all locations; no value if it cannot be computed.
  std::vector<std::optional<double>> exclusive, inclusive;
  std::optional<double> total;
  std::vector<std::optional<double>> of_location;
  uint64_t left_out = 0;  // values that are infinite or no number: a program may add any to a metric of its own
};

void Raise(std::optional<double>* to, double value) {
  if (!to->has_value() || value > **to) *to = value;
}

// Largest values do not add up: a call path has the largest value of all paths below it.
void TakePeaks(const Figures& f, uint32_t metric, Counter* counter) {
  const archive::Values& values = f.profile.values[metric];
  for (auto p = static_cast<Path>(f.profile.call_paths.size()); p-- > 0;) {
    const uint64_t* row = values.Row(p);
    for (uint32_t l = 0; row != nullptr && l < values.locations(); ++l) {
      if (row[l] == archive::Values::EmptyBits(values.type())) continue;
      if (!std::isfinite(values.Real(p, l))) {
        ++counter->left_out;
        continue;
      }
      Raise(&counter->exclusive[p], values.Real(p, l));
      Raise(&counter->of_location[l], values.Real(p, l));
    }
    if (counter->exclusive[p]) Raise(&counter->inclusive[p], *counter->exclusive[p]);
    const Path parent = f.profile.call_paths[p].parent;
    if (counter->inclusive[p]) {
      Raise(parent == kNone ? &counter->total : &counter->inclusive[parent], *counter->inclusive[p]);
    }
  }
}

void TakeSums(const Figures& f, const Split& split, Counter* counter) {
  counter->left_out = split.not_finite();
  counter->total = split.Total();
  std::fill(counter->of_location.begin(), counter->of_location.end(), 0.0);
  for (Path p = 0; p < f.profile.call_paths.size(); ++p) {
    counter->exclusive[p] = split.ExclusiveSum(p);
    counter->inclusive[p] = split.InclusiveSum(p);
    const std::vector<double>& row = split.ExclusiveRow(p);
    for (size_t l = 0; l < row.size(); ++l) *counter->of_location[l] += row[l];
  }
}

// The program sets its own metrics where it wants to. A thread that never set one has no value, which differs from 0.
bool IsOfProgram(const archive::Metric& metric) { return metric.type == Type::kDouble && metric.description.empty(); }

void LeaveOutThreadsWithout(const Figures& f, const Split& split, Counter* counter) {
  std::vector<bool> has(counter->of_location.size());
  for (Path p = 0; p < f.profile.call_paths.size(); ++p) {
    const std::vector<double>& row = split.ExclusiveRow(p);
    for (size_t l = 0; l < row.size(); ++l) has[l] = has[l] || row[l] != 0;
  }
  if (std::find(has.begin(), has.end(), true) == has.end()) return;
  for (size_t l = 0; l < has.size(); ++l) {
    if (!has[l]) counter->of_location[l] = std::nullopt;
  }
}

Counter Take(const Figures& f, uint32_t metric) {
  const archive::Metric& definition = f.profile.metrics[metric];
  const size_t paths = f.profile.call_paths.size();
  Counter counter{definition.unique_name, definition.unit, "", {}, "", definition.type == Type::kMax, {}, {}, {}, {}};
  counter.exclusive.resize(paths);
  counter.inclusive.resize(paths);
  counter.of_location.resize(f.profile.locations.size());
  if (f.profile.IsMissing(metric)) {
    counter.missing = archive::ReadAbsence(definition.description).why;
  } else if (counter.peak) {
    TakePeaks(f, metric, &counter);
  } else {
    const Split split(f.profile, metric);
    TakeSums(f, split, &counter);
    if (IsOfProgram(definition)) LeaveOutThreadsWithout(f, split, &counter);
  }
  counter.absent = archive::AbsentLocations(f.profile, metric);
  for (size_t l = 0; l < counter.absent.size(); ++l) {
    if (counter.absent[l]) counter.of_location[l] = std::nullopt;
  }
  const archive::Absence absence = archive::ReadAbsence(definition.description);
  if (absence.IsPartial()) counter.missing = "n/a on ranks " + archive::RanksText(absence.ranks) + ": " + absence.why;
  return counter;
}

// A ratio needs sums over the same locations. Empty when it has them, otherwise the reason why there is no ratio.
std::string WhyNoRatio(const analysis::Derived& derived, std::span<const Counter> counted) {
  std::vector<std::string> names;
  analysis::NamesIn(derived.formula, &names);
  const std::vector<bool> everywhere;  // as for time and visits
  const std::vector<bool>* first = nullptr;
  std::string why;
  bool differs = false;
  for (const std::string& name : names) {
    const auto at = std::find_if(counted.begin(), counted.end(), [&](const Counter& c) { return c.name == name; });
    const std::vector<bool>& absent = at == counted.end() ? everywhere : at->absent;
    if (!absent.empty()) why = name + " is " + at->missing;
    differs = differs || (first != nullptr && absent != *first);
    first = &absent;
  }
  return differs ? why : "";
}

std::vector<double> VisitsByLocation(const archive::Profile& profile) {
  std::vector<double> sums(profile.locations.size());
  const uint32_t visits = profile.FindMetric("visits");
  for (Path p = 0; visits != kNone && p < profile.call_paths.size(); ++p) {
    for (uint32_t l = 0; l < sums.size(); ++l) sums[l] += profile.values[visits].Real(p, l);
  }
  return sums;
}

Counter Compute(const Figures& f, const analysis::Derived& derived, std::span<const Counter> counted) {
  const size_t paths = f.profile.call_paths.size();
  Counter counter{derived.name, derived.unit, WhyNoRatio(derived, counted), {}, derived.formula, false, {}, {}, {}, {}};
  using Of = std::function<std::optional<double>(const Counter&)>;
  const auto evaluate = [&](double time, double visits, const Of& of) {
    return analysis::Evaluate(derived.formula, [&](std::string_view name) -> std::optional<double> {
      if (name == "time") return time;
      if (name == "visits") return visits;
      const auto at = std::find_if(counted.begin(), counted.end(), [&](const Counter& c) { return c.name == name; });
      return at == counted.end() ? std::nullopt : of(*at);
    });
  };
  const bool of_all = counter.missing.empty();
  counter.exclusive.resize(paths);
  counter.inclusive.resize(paths);
  double visits = 0;
  for (Path p = 0; of_all && p < paths; ++p) {
    const auto own = static_cast<double>(f.visits[p]);
    visits += own;
    counter.exclusive[p] = evaluate(f.time.ExclusiveSum(p), own, [p](const Counter& c) { return c.exclusive[p]; });
    counter.inclusive[p] = evaluate(f.time.InclusiveSum(p), own, [p](const Counter& c) { return c.inclusive[p]; });
  }
  if (of_all) counter.total = evaluate(f.time.Total(), visits, [](const Counter& c) { return c.total; });
  const std::vector<double> visits_of = VisitsByLocation(f.profile);
  for (uint32_t l = 0; l < f.profile.locations.size(); ++l) {
    double time = 0;
    for (const double part : f.location_times[l]) time += part;
    counter.of_location.push_back(evaluate(time, visits_of[l], [l](const Counter& c) { return c.of_location[l]; }));
  }
  return counter;
}

std::vector<Counter> TakeAll(const Figures& f) {
  std::vector<Counter> all;
  for (uint32_t m = 0; m < f.profile.metrics.size(); ++m) {
    if (IsCounter(f.profile, m)) all.push_back(Take(f, m));
  }
  const size_t counted = all.size();
  for (const analysis::Derived& derived : analysis::DerivedOf(f.profile)) {
    all.push_back(Compute(f, derived, std::span(all).first(counted)));
  }
  return all;
}

std::string Text(const std::optional<double>& value, const Counter& counter, const view::Terminal& terminal) {
  return value ? view::Amount(*value, counter.unit, terminal.unicode) : "n/a";
}

SheetCell CellOf(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? SheetCell(*value) : SheetCell(std::monostate());
}

struct Extent {
  std::optional<double> least, most;
  uint32_t at = 0;  // the location with most
};
Extent ExtentOf(const Counter& counter) {
  Extent extent;
  for (uint32_t l = 0; l < counter.of_location.size(); ++l) {
    const std::optional<double>& value = counter.of_location[l];
    if (!value) continue;
    if (!extent.least || *value < *extent.least) extent.least = value;
    if (extent.most && *value <= *extent.most) continue;
    extent.most = value;
    extent.at = l;
  }
  return extent;
}

Sheet Totals(const Figures& f, const std::vector<Counter>& counters) {
  Sheet sheet{"counters",
              {{"unit", "unit", Unit::kText},
               {"total", "total", Unit::kRatio},
               {"min", "min", Unit::kRatio},
               {"max", "max", Unit::kRatio},
               {"busiest", "busiest", Unit::kText},
               {"formula", "formula", Unit::kText},
               {"missing", "missing", Unit::kText},
               {"left_out", "left out", Unit::kCount},
               {"counter", "counter", Unit::kText}},
              {}};
  for (const Counter& counter : counters) {
    const Extent extent = ExtentOf(counter);
    const auto text = [](const std::string& words) { return words.empty() ? SheetCell() : SheetCell(words); };
    sheet.rows.push_back({counter.unit, CellOf(counter.total), CellOf(extent.least), CellOf(extent.most),
                          extent.most ? SheetCell(LocationName(f.profile, extent.at)) : SheetCell(),
                          text(counter.formula), text(counter.missing), counter.left_out, counter.name});
  }
  return sheet;
}

// Leaves out call paths without a value of their own or below.
Sheet ByPath(const Figures& f, const std::vector<Counter>& counters) {
  Sheet sheet{"callpaths",
              {{"callpath_id", "", Unit::kCount},
               {"exclusive", "excl", Unit::kRatio},
               {"inclusive", "incl", Unit::kRatio},
               {"counter", "counter", Unit::kText},
               {"callpath", "call path", Unit::kText}},
              {}};
  const archive::PathNames names(f.profile);
  for (const Counter& counter : counters) {
    for (Path p = 0; p < counter.inclusive.size(); ++p) {
      if (counter.inclusive[p].value_or(0) == 0 && counter.exclusive[p].value_or(0) == 0) continue;
      sheet.rows.push_back(
          {uint64_t{p}, CellOf(counter.exclusive[p]), CellOf(counter.inclusive[p]), counter.name, names.Of(p)});
    }
  }
  return sheet;
}

// The unit, unless the figures have it or it is that of plain counts.
std::string UnitBeside(const Counter& counter) {
  constexpr std::string_view kShown[] = {"sec", "bytes", "bytes/sec", "occ", "1"};
  const bool shown = std::find(std::begin(kShown), std::end(kShown), counter.unit) != std::end(kShown);
  return shown ? "" : counter.unit;
}

// The name stays whole while there is room for it: `more` is cut first.
std::string NameAndMore(const std::string& name, const std::string& more, size_t width,
                        const view::Terminal& terminal) {
  constexpr size_t kLeastOfMore = 4;
  const std::string shown = view::Printable(name), all = shown + view::Printable(more);
  if (view::Width(all) <= width) return all;
  const bool has_room = view::Width(shown) + kLeastOfMore <= width;
  return has_room ? view::Shorten(all, width, view::Cut::kEnd, terminal.Ellipsis())
                  : view::Shorten(shown, width, view::Cut::kMiddle, terminal.Ellipsis());
}

std::string TotalsText(const Figures& f, const std::vector<Counter>& counters, const ViewOptions& options) {
  const view::Terminal& terminal = options.terminal;
  using view::Figure, view::Style;
  const bool any_unit =
      std::any_of(counters.begin(), counters.end(), [](const Counter& c) { return !UnitBeside(c).empty(); });
  view::Table table({Figure("total"),
                     Figure("min", 3),
                     Figure("max", 2),
                     {"of", view::Align::kLeft, false, {}, 1},
                     {any_unit ? "unit" : ""},
                     view::Name("counter")});
  for (const Counter& counter : counters) {
    const Extent extent = ExtentOf(counter);
    const bool several = f.profile.locations.size() > 1 && extent.most.has_value();
    const std::string more = !counter.missing.empty()   ? ": " + counter.missing
                             : !counter.formula.empty() ? " = " + counter.formula
                                                        : "";
    table.AddRow({{Text(counter.total, counter, terminal), Style::kBold},
                  several ? Text(extent.least, counter, terminal) : "",
                  several ? Text(extent.most, counter, terminal) : "",
                  {several ? LocationName(f.profile, extent.at) : "", Style::kFaint},
                  UnitBeside(counter),
                  view::Cell([name = counter.name, more, &terminal](size_t width) {
                    return NameAndMore(name, more, width, terminal);
                  })});
  }
  return table.Render(terminal);
}

std::string LeftOutText(const Counter& counter, const ViewOptions& options) {
  if (counter.left_out == 0) return "";
  const std::string text = view::Printable(counter.name) + " leaves out " + view::Plural(counter.left_out, "value") +
                           (counter.left_out == 1 ? " that is" : " that are") + " infinite or no number";
  return view::Wrapped("", text, 0, options.terminal.width);
}

// Shares are of the total, unless values above 0 and below 0 cancel each other.
double TotalOf(const Counter& counter) {
  double above = 0, below = 0;
  for (const std::optional<double>& own : counter.exclusive) (own.value_or(0) < 0 ? below : above) += own.value_or(0);
  return above > 0 && below < 0 ? above - below : counter.total.value_or(0);
}

std::string PathsText(const Figures& f, const Counter& counter, const ViewOptions& options) {
  const view::Terminal& terminal = options.terminal;
  std::vector<Path> order;
  for (Path p = 0; p < counter.exclusive.size(); ++p) {
    if (counter.exclusive[p].value_or(0) != 0) order.push_back(p);
  }
  if (order.empty()) return "";
  // A ratio means nothing for a call path with little time, so ratios are sorted by time. Metrics of the program, and
  // changes between two runs, may be below 0.
  const auto weight = [&](Path p) {
    return std::fabs(counter.formula.empty() ? *counter.exclusive[p] : f.time.ExclusiveSum(p));
  };
  std::stable_sort(order.begin(), order.end(), [&](Path a, Path b) { return weight(a) > weight(b); });
  const size_t top = options.TopOr(kDefaultPaths);
  const size_t count = top == 0 ? order.size() : std::min(top, order.size());
  view::Table table({view::Figure("excl"), view::Figure("%"), view::Figure("incl"), view::Name("call path")});
  view::ShortPaths paths(terminal);
  const bool adds_up = counter.formula.empty() && !counter.peak;
  const double whole = TotalOf(counter);
  const std::string prefix = RootPrefix(f);
  const archive::PathNames names(f.profile);
  for (size_t i = 0; i < count; ++i) {
    const Path p = order[i];
    std::string name = names.Of(p);
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    table.AddRow({{Text(counter.exclusive[p], counter, terminal), view::Style::kBold},
                  adds_up ? view::Percent(*counter.exclusive[p], whole) : "",
                  Text(counter.inclusive[p], counter, terminal),
                  view::PathCell(&paths, std::move(name))});
  }
  const std::string unit = UnitBeside(counter);
  const std::string heading = NameAndMore(counter.name, unit.empty() ? "" : ", " + unit, terminal.width, terminal);
  std::string out = "\n" + terminal.Bold(heading) + "\n" + table.Render(terminal);
  if (count < order.size()) {
    out += terminal.Dim(std::string(terminal.Ellipsis()) + " " + view::Count(order.size() - count) +
                        " more (--top 0 shows all)") +
           "\n";
  }
  return out;
}

}  // namespace

bool IsCounter(const archive::Profile& p, uint32_t metric) {
  const std::string& name = p.metrics[metric].unique_name;
  if (archive::IsTreeMetric(name)) return false;
  if (p.metrics[metric].description.starts_with(analysis::kComputed)) return false;
  return !IsIn(kOurs, name) && (!IsIn(kTheirs, name) || IsProgramsOwn(p.metrics[metric]));
}

uint32_t FindMessageMetric(const archive::Profile& profile, std::initializer_list<std::string_view> unique_names) {
  for (const std::string_view name : unique_names) {
    const uint32_t metric = FindAnyMetric(profile, {name});
    if (metric != kNone && !(IsIn(kTheirs, name) && IsProgramsOwn(profile.metrics[metric]))) return metric;
  }
  return kNone;
}

bool MakeCounters(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  const std::vector<Counter> counters = TakeAll(f);
  if (counters.empty()) {
    *error = "no counters in this profile: EPK_METRICS says which are read (epk doctor --metrics lists them)";
    return false;
  }
  view->totals = {{"counters", uint64_t{counters.size()}}};
  view->sheets = {Totals(f, counters), ByPath(f, counters)};
  view->text = TotalsText(f, counters, options);
  for (const Counter& counter : counters) view->text += LeftOutText(counter, options);
  for (const Counter& counter : counters) view->text += PathsText(f, counter, options);
  view->next =
      "`--counters --top 0` shows every call path, `--format csv` has every thread, and `--format folded --metric "
      "NAME` makes flame graphs.";
  return true;
}

}  // namespace epik::report
