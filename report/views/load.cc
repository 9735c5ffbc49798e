// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "config/growing_match.h"
#include "report/views/views.h"
#include "view/bar.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultLocations = 64;
constexpr size_t kWidestBar = 50, kNarrowestBar = 8;

using Load = std::array<double, kUses>;

struct Part {
  const char *title, *key;
  view::BarPart drawn;
};
// In the order of Use.
constexpr std::array<Part, kUses> kParts = {{{"compute", "computation_s", {"█", "#", view::Style::kPlain}},
                                             {"MPI", "mpi_s", {"▒", "m", view::Style::kMpi}},
                                             {"OpenMP", "openmp_s", {"░", "o", view::Style::kOmp}},
                                             {"idle", "idle_s", {"╌", "-", view::Style::kFaint}},
                                             {"other", "other_s", {"·", ".", view::Style::kFaint}}}};

double Total(const Load& load) {
  double sum = 0;
  for (double part : load) sum += part;
  return sum;
}

std::string Bar(const Load& load, double longest, size_t width, const view::Terminal& terminal) {
  std::vector<std::pair<double, view::BarPart>> parts;
  for (size_t i = 0; i < kUses; ++i) parts.emplace_back(longest > 0 ? load[i] / longest : 0, kParts[i].drawn);
  return view::StackedBar(terminal, parts, width);
}

// Returns all locations in order; or the busiest and the idlest ones, in order.
std::vector<uint32_t> Chosen(const std::vector<Load>& loads, std::vector<uint32_t> order, size_t top) {
  if (top == 0 || order.size() <= top) return order;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return loads[a][0] > loads[b][0]; });
  const size_t busiest = top - top / 2;
  order.erase(order.begin() + static_cast<ptrdiff_t>(busiest), order.end() - static_cast<ptrdiff_t>(top / 2));
  std::sort(order.begin(), order.end());
  return order;
}

// The times of each location: those of all call paths, or those of the matching ones with their callees. Returns false
// when none matches.
bool LoadsOf(const Figures& f, const ViewOptions& options, std::vector<Load>* loads) {
  *loads = f.location_uses;
  if (options.path_pattern.empty()) return true;
  const bool has_root = !RootPrefix(f).empty();
  const std::vector<archive::CallPath>& paths = f.profile.call_paths;
  loads->assign(loads->size(), Load());
  std::vector<bool> within(paths.size());
  bool any = false;
  std::vector<config::GrowingMatch> matches;  // of the call paths that came already: callers come first
  for (uint32_t p = 0; p < paths.size(); ++p) {
    const uint32_t caller = paths[p].parent;
    const bool is_first = caller == archive::kNone || (has_root && paths[caller].parent == archive::kNone);
    config::GrowingMatch match = is_first ? config::GrowingMatch(options.path_pattern) : matches[caller];
    if (!is_first) match.Add(" > ");
    match.Add(f.profile.regions[paths[p].region].name);
    const bool below = caller != archive::kNone && within[caller];
    within[p] = below || match.Matches();
    matches.push_back(std::move(match));
    any = any || within[p];
    const std::vector<double>& row = f.time.ExclusiveRow(p);
    if (!within[p] || row.empty()) continue;
    const auto use = static_cast<size_t>(f.uses[paths[p].region]);
    for (size_t l = 0; l < row.size(); ++l) (*loads)[l][use] += row[l];
  }
  return any;
}

bool Has(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, int number) {
  const auto holds = [number](const auto& range) {
    return number >= 0 && range.first <= static_cast<uint64_t>(number) && static_cast<uint64_t>(number) <= range.second;
  };
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), holds);
}

// Returns the locations of --rank and --thread, or all locations without these options.
std::vector<uint32_t> Selected(const Figures& f, const ViewOptions& options) {
  std::vector<uint32_t> selected;
  for (uint32_t l = 0; l < f.profile.locations.size(); ++l) {
    if (Has(options.ranks, RankOf(f.profile, l)) && Has(options.threads, f.profile.locations[l].thread)) {
      selected.push_back(l);
    }
  }
  return selected;
}

Sheet Locations(const Figures& f, const std::vector<Load>& loads, const std::vector<uint32_t>& selected) {
  Sheet sheet{"locations",
              {{"rank", "rank", Unit::kCount}, {"thread", "thread", Unit::kCount}, {"time_s", "time", Unit::kSeconds}},
              {}};
  for (const Part& part : kParts) sheet.columns.push_back({part.key, part.title, Unit::kSeconds});
  for (const uint32_t l : selected) {
    std::vector<SheetCell> row = {uint64_t(std::max(0, RankOf(f.profile, l))),
                                  uint64_t(std::max(0, f.profile.locations[l].thread)), Total(loads[l])};
    for (double part : loads[l]) row.emplace_back(part);
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

// Adds a row with a statistic of each column.
template <class Of>
void AddStatistic(const char* name, bool ratio, const std::vector<Load>& loads, const Load& sum,
                  const view::Terminal& terminal, Of&& of, view::Table* table) {
  const auto cell = [&](double value, bool any) {
    std::string text = !any ? "" : ratio ? view::Ratio(value) + "   " : view::SecondsCell(value, terminal.unicode);
    return view::Cell(std::move(text), view::Style::kFaint);
  };
  std::vector<double> column;
  for (const Load& load : loads) column.push_back(Total(load));
  std::vector<view::Cell> cells = {{name, view::Style::kFaint}, cell(of(column), Total(sum) > 0)};
  for (size_t i = 0; i < kUses; ++i) {
    for (size_t l = 0; l < loads.size(); ++l) column[l] = loads[l][i];
    cells.push_back(cell(of(column), sum[i] > 0));
  }
  table->AddRow(std::move(cells));
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}
double Most(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

// The lines below the table, which explain the blocks.
std::string Legend(const Load& sum, const view::Terminal& terminal) {
  std::string out;
  for (size_t i = 0; i < kUses; ++i) {
    if (i > 0 && !(sum[i] > 0)) continue;
    out += (out.empty() ? "" : "  ") + view::StackedBar(terminal, {{1, kParts[i].drawn}}, 1) + " " + kParts[i].title;
  }
  return out + "\n";
}

std::string LoadView(const Figures& f, const ViewOptions& options, const std::vector<Load>& all,
                     const std::vector<uint32_t>& selected) {
  const view::Terminal& terminal = options.terminal;
  const bool is_difference = f.time.IsDifference();
  std::vector<Load> loads;  // of the selected locations
  for (const uint32_t l : selected) loads.push_back(all[l]);
  Load sum = {};  // without signs: a difference of runs may be below 0
  double longest = 0;
  for (const Load& load : loads) {
    for (size_t i = 0; i < kUses; ++i) sum[i] += std::fabs(load[i]);
    longest = std::max(longest, Total(load));
  }
  std::vector<uint32_t> order(loads.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::vector<uint32_t> chosen = Chosen(loads, order, options.TopOr(kDefaultLocations));
  std::vector<view::Column> columns = {view::Figure("rank:thread"), view::Figure("time")};
  for (size_t i = 0; i < kUses; ++i) columns.push_back(view::Figure(kParts[i].title, static_cast<int>(i)));
  if (!is_difference) {
    columns.push_back(view::Name(""));
    columns.back().least = kNarrowestBar;
  }
  view::Table table(columns);
  for (uint32_t l : chosen) {
    std::vector<view::Cell> cells = {LocationName(f.profile, selected[l]),
                                     view::SecondsCell(Total(loads[l]), terminal.unicode)};
    for (size_t i = 0; i < kUses; ++i) {
      cells.emplace_back(sum[i] > 0 ? view::SecondsCell(loads[l][i], terminal.unicode) : "");
    }
    if (!is_difference) {
      cells.emplace_back(
          [&, l](size_t width) { return Bar(loads[l], longest, std::min(width, kWidestBar), terminal); });
    }
    table.AddRow(std::move(cells));
  }
  if (loads.size() > 1) {
    const auto least = [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); };
    const auto uneven = [](const std::vector<double>& v) { return Mean(v) > 0 ? Most(v) / Mean(v) : 0; };
    AddStatistic("min", false, loads, sum, terminal, least, &table);
    AddStatistic("mean", false, loads, sum, terminal, Mean, &table);
    AddStatistic("max", false, loads, sum, terminal, Most, &table);
    if (!is_difference) AddStatistic("max/mean", true, loads, sum, terminal, uneven, &table);
  }
  std::string out = table.Render(terminal);
  if (chosen.size() < loads.size()) {
    out += terminal.Dim(std::string(terminal.Ellipsis()) + " " + view::Count(loads.size() - chosen.size()) +
                        " more, neither the busiest nor the idlest") +
           "\n";
  }
  return out + (is_difference ? NotOfADifference("bars, and no max/mean", "load", terminal) : Legend(sum, terminal));
}

// "ranks 0 to 2, threads 0 to 1"
std::string WhatThereIs(const archive::Profile& profile) {
  int last_rank = 0, last_thread = 0;
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    last_rank = std::max(last_rank, RankOf(profile, l));
    last_thread = std::max(last_thread, profile.locations[l].thread);
  }
  const auto upto = [](const char* what, int last) {
    return last == 0 ? std::string(what) + " 0" : std::string(what) + "s 0 to " + std::to_string(last);
  };
  return upto("rank", last_rank) + ", " + upto("thread", last_thread);
}

}  // namespace

bool MakeLoad(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  std::vector<Load> loads;
  if (!LoadsOf(f, options, &loads)) {
    *error = "no call path matches --path " + options.path_pattern;
    return false;
  }
  const std::vector<uint32_t> selected = Selected(f, options);
  if (selected.empty() && !(options.ranks.empty() && options.threads.empty())) {
    *error = "no thread of this run is selected by --rank and --thread; it has " + WhatThereIs(f.profile);
    return false;
  }
  view->sheets = {Locations(f, loads, selected)};
  if (!selected.empty()) {
    std::vector<double> useful;
    for (const uint32_t l : selected) useful.push_back(loads[l][0]);
    const auto worst = std::max_element(useful.begin(), useful.end()) - useful.begin();
    view->totals = {{"computation_min_s", *std::min_element(useful.begin(), useful.end())},
                    {"computation_mean_s", Mean(useful)},
                    {"computation_max_s", Most(useful)},
                    {"busiest", LocationName(f.profile, selected[static_cast<size_t>(worst)])}};
  }
  view->text = LoadView(f, options, loads, selected);
  return true;
}

}  // namespace epik::report
