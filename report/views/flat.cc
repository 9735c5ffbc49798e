// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/table.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultRegions = 30;

struct RegionRow {
  uint32_t region = 0;
  double inclusive = 0, exclusive = 0;
  double in_visits = 0;  // of `inclusive`, without the time of other threads
  uint64_t visits = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
};

// Folds one extremum of a visit over the call paths and locations of each region.
template <class Fold>
void EachValue(const Figures& f, const char* unique_name, Fold&& fold) {
  const uint32_t metric = f.profile.FindMetric(unique_name);
  if (metric == archive::kNone) return;
  const uint64_t empty = archive::Values::EmptyBits(f.profile.metrics[metric].type);
  f.ForRows(metric, [&](uint32_t p, const uint64_t* cells) {
    for (size_t l = 0; l < f.profile.locations.size(); ++l) {
      const auto value = std::bit_cast<double>(cells[l]);
      if (cells[l] != empty && std::isfinite(value)) fold(f.profile.call_paths[p].region, value);
    }
  });
}

// The inclusive time of each call path on the locations that visited it. New threads, and those of teams, are below the
// call path of their creator, so its inclusive time has theirs, but its visits do not.
std::vector<double> TimesInVisits(const Figures& f) {
  std::vector<double> times(f.profile.call_paths.size());
  const uint32_t visits = f.profile.FindMetric("visits");
  if (visits == archive::kNone) return times;
  f.ForRows(visits, [&](uint32_t p, const uint64_t* cells) {
    if (f.time.InclusiveRow(p).empty()) {  // too little time to keep it by location
      times[p] = f.time.InclusiveSum(p);
      return;
    }
    for (uint32_t l = 0; l < f.profile.locations.size(); ++l) times[p] += cells[l] != 0 ? f.time.Inclusive(p, l) : 0;
  });
  return times;
}

std::vector<RegionRow> ByRegion(const Figures& f) {
  const std::vector<double> in_visits = TimesInVisits(f);
  std::vector<RegionRow> rows(f.profile.regions.size());
  std::vector<uint32_t> open(rows.size());
  for (uint32_t r = 0; r < rows.size(); ++r) rows[r].region = r;
  const auto region = [&](uint32_t p) { return f.profile.call_paths[p].region; };
  const auto enter = [&](uint32_t p) {
    RegionRow& row = rows[region(p)];
    row.visits += f.visits[p];
    row.exclusive += f.time.ExclusiveSum(p);
    if (open[region(p)]++ != 0) return;
    row.inclusive += f.time.InclusiveSum(p);
    row.in_visits += in_visits[p];
  };
  Walk(f.profile, f.links, enter, [&](uint32_t p) { --open[region(p)]; });
  EachValue(f, "min_time", [&](uint32_t r, double value) { rows[r].min = std::min(rows[r].min, value); });
  EachValue(f, "max_time", [&](uint32_t r, double value) { rows[r].max = std::max(rows[r].max, value); });
  std::erase_if(rows, [](const RegionRow& r) { return r.visits == 0 && r.inclusive == 0; });
  std::stable_sort(rows.begin(), rows.end(), [](const RegionRow& a, const RegionRow& b) {
    const double one = std::fabs(a.exclusive), other = std::fabs(b.exclusive);  // below 0 in a difference
    return one != other ? one > other : a.visits > b.visits;
  });
  return rows;
}

// Rows are sorted by exclusive time already; equal rows keep that order.
void SortRows(const Figures& f, ViewOptions::Sort sort, std::vector<RegionRow>* rows) {
  using Sort = ViewOptions::Sort;
  const auto name = [&](const RegionRow& row) -> const std::string& { return f.profile.regions[row.region].name; };
  std::stable_sort(rows->begin(), rows->end(), [&](const RegionRow& a, const RegionRow& b) {
    switch (sort) {
      case Sort::kInclusive: return a.inclusive > b.inclusive;
      case Sort::kVisits: return a.visits > b.visits;
      case Sort::kName: return name(a) < name(b);
      default: return false;
    }
  });
}

std::string ClassTable(const Figures& f, const std::vector<RegionRow>& rows, const ViewOptions& options) {
  std::array<uint64_t, kClasses> regions = {};
  for (const RegionRow& row : rows) ++regions[static_cast<size_t>(f.classes[row.region])];
  using view::Figure;
  view::Table table({{"class"}, Figure("excl"), Figure("%"), Figure("visits"), Figure("regions")});
  uint64_t visits = 0;
  for (uint64_t v : f.class_visits) visits += v;
  const double total = f.time.Total(), whole = f.time.Whole();
  const bool unicode = options.terminal.unicode;
  table.AddRow({"ALL", view::SecondsCell(total, unicode), view::Percent(total, whole), view::Count(visits),
                view::Count(rows.size())});
  for (size_t c = 0; c < kClasses; ++c) {
    if (regions[c] == 0) continue;
    table.AddRow({std::string(ClassName(static_cast<Class>(c))), view::SecondsCell(f.class_times[c], unicode),
                  view::Percent(f.class_times[c], whole), view::Count(f.class_visits[c]), view::Count(regions[c])});
  }
  return table.Render(options.terminal);
}

std::string FlatView(const Figures& f, const ViewOptions& options) {
  std::vector<RegionRow> rows = ByRegion(f);
  SortRows(f, options.sort, &rows);
  const size_t top = options.TopOr(kDefaultRegions);
  const size_t count = top == 0 ? rows.size() : std::min(top, rows.size());
  const bool unicode = options.terminal.unicode;
  const double whole = f.time.Whole();
  using view::Figure, view::Style;
  view::Table table({{"class"},
                     Figure("excl"),
                     Figure("%"),
                     Figure("incl", 1),
                     Figure("visits"),
                     Figure("per visit", 2),
                     Figure("min", 4),
                     Figure("max", 3),
                     view::Name("region")});
  const auto seconds = [&](double value) { return view::SecondsCell(value, unicode); };
  view::ShortPaths names(options.terminal);
  for (size_t i = 0; i < count; ++i) {
    const RegionRow& row = rows[i];
    const bool timed = std::isfinite(row.min) && std::isfinite(row.max);
    const size_t name = names.Add({f.profile.regions[row.region].name});
    table.AddRow({{std::string(ClassName(f.classes[row.region])), Style::kFaint},
                  {seconds(row.exclusive), Style::kBold},
                  view::Percent(row.exclusive, whole),
                  seconds(row.inclusive),
                  view::Count(row.visits),
                  row.visits == 0 ? "-" : seconds(row.in_visits / static_cast<double>(row.visits)),
                  timed ? seconds(row.min) : "",
                  timed ? seconds(row.max) : "",
                  view::Cell([&names, name](size_t width) { return names.At(name, width); })});
  }
  std::string out = ClassTable(f, rows, options) + "\n" + table.Render(options.terminal);
  if (count < rows.size()) {
    double rest = 0;
    for (size_t i = count; i < rows.size(); ++i) rest += rows[i].exclusive;
    out += options.terminal.Dim(std::string(options.terminal.Ellipsis()) + " " + view::Count(rows.size() - count) +
                                " more (" + view::Percent(rest, whole) + " %)") +
           "\n";
  }
  return out;
}

}  // namespace

bool MakeFlat(const Figures& figures, const ViewOptions& options, ViewData* view, std::string* /*error*/) {
  view->text = FlatView(figures, options);
  return true;
}

}  // namespace epik::report
