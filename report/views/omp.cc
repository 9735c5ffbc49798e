// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "archive/profile/region_class.h"
#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {

using archive::kNone;

namespace {

constexpr size_t kDefaultParallels = 30;

enum TeamTime : size_t { kWork, kImplicit, kExplicit, kExclusion, kManagement, kMpi, kRest, kTeamTimes };

TeamTime SpentOn(const archive::Region& region) {
  const std::string_view metric = archive::TimeMetricOf(region);
  if (metric == "comp") return kWork;
  if (metric == "omp_ibarrier") return kImplicit;
  if (metric == "omp_ebarrier") return kExplicit;
  if (metric == "omp_critical" || metric == "omp_lock_api" || metric == "omp_ordered") return kExclusion;
  if (metric == "omp_management" || metric == "omp_fork" || metric == "omp_taskwait") return kManagement;
  return metric.starts_with("mpi") ? kMpi : kRest;
}

// A parallel region, over all its callers.
struct Parallel {
  uint32_t region = kNone;
  std::vector<uint64_t> visits;                       // by location
  std::vector<std::array<double, kTeamTimes>> spent;  // by location
  std::vector<double> inclusive;                      // by location
  std::vector<uint64_t> first;                        // by location: visits that are in no other one of this region
  // The same of those in which the thread led a team: it came to the caller, too.
  std::vector<uint64_t> led;    // by location
  std::vector<double> leading;  // by location: seconds

  double Sum(TeamTime what) const {
    double sum = 0;
    for (const auto& row : spent) sum += row[what];
    return sum;
  }
};

bool IsParallel(const archive::Region& region) {
  const bool named = region.role == "parallel" || region.role == "teams";
  return region.paradigm == "openmp" && (named || region.name.starts_with("!$omp parallel @"));
}

// All parallel regions; or the calls of those that are within no other one, so that no time is in two rows.
enum class Calls { kAll, kOutermost };
std::vector<Parallel> Collect(const Figures& f, Calls which) {
  const archive::Profile& p = f.profile;
  std::vector<TeamTime> use;
  for (const archive::Region& region : p.regions) use.push_back(SpentOn(region));
  std::map<uint32_t, Parallel> found;
  const size_t locations = p.locations.size();
  std::vector<uint32_t> open;  // parallel regions around the call path, with the innermost one last
  const auto is_parallel = [&](uint32_t path) { return IsParallel(p.regions[p.call_paths[path].region]); };
  const uint32_t visits = p.FindMetric("visits");
  const auto visits_of = [&](uint32_t path, uint32_t l) {
    const bool has = visits != kNone && path != kNone && p.values[visits].Has(path);
    return has ? p.values[visits].Integer(path, l) : uint64_t{0};
  };
  const auto enter = [&](uint32_t path) {
    const uint32_t region = p.call_paths[path].region;
    if (is_parallel(path) && (which == Calls::kAll || open.empty())) {
      Parallel& row = found[region];
      if (row.region == kNone) {
        row.region = region;
        row.visits = row.first = row.led = std::vector<uint64_t>(locations);
        row.inclusive = row.leading = std::vector<double>(locations);
        row.spent.resize(locations);
      }
      const bool again = std::find(open.begin(), open.end(), region) != open.end();
      const uint32_t caller = p.call_paths[path].parent;
      for (uint32_t l = 0; l < locations; ++l) {
        const uint64_t came = visits_of(path, l);
        const bool leads = visits_of(caller, l) > 0;
        row.visits[l] += came;
        if (again) continue;
        row.first[l] += came;
        if (leads) row.led[l] += came;
        const double seconds = f.time.Inclusive(path, l);
        row.inclusive[l] += seconds;
        if (leads) row.leading[l] += seconds;
      }
    }
    if (is_parallel(path)) open.push_back(region);
    const size_t counted = which == Calls::kAll ? open.size() : std::min<size_t>(open.size(), 1);
    const std::vector<double>& times = f.time.ExclusiveRow(path);
    for (size_t i = 0; i < counted && !times.empty(); ++i) {
      if (std::find(open.begin(), open.begin() + static_cast<ptrdiff_t>(i), open[i]) !=
          open.begin() + static_cast<ptrdiff_t>(i)) {
        continue;  // the outer region with the same name counts it
      }
      Parallel& row = found[open[i]];
      for (uint32_t l = 0; l < locations; ++l) row.spent[l][use[region]] += times[l];
    }
  };
  Walk(p, f.links, enter, [&](uint32_t path) {
    if (is_parallel(path)) open.pop_back();
  });
  std::vector<Parallel> rows;
  for (auto& [region, row] : found) rows.push_back(std::move(row));
  return rows;
}

// The figures of a region, first for each process, then for all together.
struct Summary {
  uint64_t instances = 0;
  uint64_t threads = 0;  // of the process with most threads
  double wall = 0;       // of the longest process
  double available = 0;  // Σ threads × wall time of the process
  double imbalance = 0;  // Σ threads × its busiest thread / Σ work: the gain of teams from even work
  double worst = 0;      // largest work of a thread, over the mean of its own team
  uint32_t busiest = 0;  // the thread that did this work
};
// The figures of one process in a region.
struct Team {
  uint64_t threads = 0, visits = 0;  // how many came; how often, together
  uint64_t leaders = 0, led = 0;     // how many led a team; how often, together
  double leading = 0, longest = 0;   // seconds of those that led, together; of the one that led longest
  // The first thread of a process forks and waits for the others, so its visits and time are those of the region.
  uint64_t instances = 0;
  double wall = 0;
  double work = 0, most = 0;
  uint32_t busiest = 0;

  void Add(const Parallel& row, uint32_t l) {
    if (threads++ == 0) {
      instances = row.visits[l];
      wall = row.inclusive[l];
    }
    visits += row.first[l];
    if (row.led[l] > 0) {
      ++leaders;
      led += row.led[l];
      leading += row.leading[l];
      longest = std::max(longest, row.leading[l]);
    }
    const double mine = row.spent[l][kWork];
    work += mine;
    if (mine > most) {
      most = mine;
      busiest = l;
    }
  }

  // Each thread of a team around it led a team of its own.
  bool IsNested() const { return leaders > 1; }
  bool IsAlone() const { return IsNested() && visits == led; }
  double Size() const {
    return IsNested() ? static_cast<double>(visits) / static_cast<double>(led) : static_cast<double>(threads);
  }
  // The largest work, over the mean. A thread alone is even.
  double Uneven() const {
    if (work <= 0) return 0;
    return IsAlone() ? 1 : most * static_cast<double>(threads) / work;
  }
};

Summary Summarize(const Figures& f, const Parallel& row) {
  std::vector<Team> teams(std::max<size_t>(f.profile.processes.size(), 1));
  for (uint32_t l = 0; l < row.inclusive.size(); ++l) {
    if (row.inclusive[l] == 0 && row.visits[l] == 0) continue;
    teams[std::min<size_t>(f.profile.locations[l].process, teams.size() - 1)].Add(row, l);
  }
  Summary s;
  double work = 0, even = 0;
  for (const Team& team : teams) {
    s.instances += team.IsNested() ? team.led : team.instances;
    s.threads = std::max(s.threads, static_cast<uint64_t>(std::ceil(team.Size())));
    s.wall = std::max(s.wall, team.IsNested() ? team.longest : team.wall);
    s.available += (team.IsNested() ? team.leading : team.wall) * team.Size();
    work += team.work;
    even += team.work * team.Uneven();
    if (team.Uneven() > s.worst) {
      s.worst = team.Uneven();
      s.busiest = team.busiest;
    }
  }
  if (work > 0) s.imbalance = even / work;
  return s;
}

// Narrow screens leave out the kinds of loss with the least time first.
std::array<int, kTeamTimes> SpareOfLosses(const std::vector<Parallel>& rows) {
  constexpr int kSpare[] = {2, 5, 6, 7, 8};
  std::vector<std::pair<double, TeamTime>> losses;
  for (const TeamTime what : {kImplicit, kExplicit, kExclusion, kManagement, kMpi}) {
    double sum = 0;
    for (const Parallel& row : rows) sum += row.Sum(what);
    losses.emplace_back(-sum, what);
  }
  std::stable_sort(losses.begin(), losses.end());
  std::array<int, kTeamTimes> spare = {};
  for (size_t i = 0; i < losses.size(); ++i) spare[losses[i].second] = kSpare[i];
  return spare;
}

Sheet MakeSheet(const Figures& f, const std::vector<Parallel>& rows, const std::vector<Summary>& summaries,
                const std::vector<size_t>& order) {
  const auto title = [&](TeamTime what, const char* text) {
    for (const Parallel& row : rows) {
      if (row.Sum(what) > 0) return std::string(text);
    }
    return std::string();
  };
  const std::array<int, kTeamTimes> spare = SpareOfLosses(rows);
  Sheet sheet{"regions",
              {{"instances", "times", Unit::kCount},
               {"threads", "thr", Unit::kCount, 4},
               {"time_s", "wall", Unit::kSeconds, 3},
               {"thread_time_s", "", Unit::kSeconds},
               {"work_s", "work", Unit::kSeconds},
               {"imbalance", "max/mean", Unit::kRatio, 1},
               {"implicit_barrier_s", title(kImplicit, "impl.bar"), Unit::kSeconds, spare[kImplicit]},
               {"explicit_barrier_s", title(kExplicit, "barrier"), Unit::kSeconds, spare[kExplicit]},
               {"exclusion_s", title(kExclusion, "crit/lock"), Unit::kSeconds, spare[kExclusion]},
               {"management_s", title(kManagement, "tasks"), Unit::kSeconds, spare[kManagement]},
               {"mpi_s", title(kMpi, "MPI"), Unit::kSeconds, spare[kMpi]},
               {"other_s", "", Unit::kSeconds},
               {"busiest", "", Unit::kText},
               {"efficiency", "eff %", Unit::kShare},
               {"region", "parallel region", Unit::kText}},
              {}};
  for (size_t i : order) {
    const Parallel& row = rows[i];
    const Summary& s = summaries[i];
    sheet.rows.push_back({s.instances, s.threads, s.wall, s.available, row.Sum(kWork), s.imbalance, row.Sum(kImplicit),
                          row.Sum(kExplicit), row.Sum(kExclusion), row.Sum(kManagement), row.Sum(kMpi), row.Sum(kRest),
                          LocationName(f.profile, s.busiest), s.available > 0 ? row.Sum(kWork) / s.available : 0.0,
                          f.profile.regions[row.region].name});
  }
  return sheet;
}

}  // namespace

bool MakeOmp(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  const std::vector<Parallel> rows = Collect(f, Calls::kAll);
  if (rows.empty()) {
    *error =
        "no OpenMP in this profile: the program opened no parallel region, or none was seen (`epk run` tells which "
        "adapters saw something)";
    return false;
  }
  double idle = 0;
  for (const auto& uses : f.location_uses) idle += uses[static_cast<size_t>(Use::kIdle)];
  if (f.time.IsDifference()) {
    view->totals = {{"parallel_regions", uint64_t{rows.size()}}, {"lost_s", {}}, {"idle_s", idle}};
    view->sheets = {MakeSheet(f, {}, {}, {})};
    view->text =
        NotOfADifference("lost time in parallel regions, and no balance of their threads", "omp", options.terminal);
    return true;
  }
  std::vector<Summary> summaries;
  std::vector<size_t> order;
  for (const Parallel& row : rows) {
    order.push_back(order.size());
    summaries.push_back(Summarize(f, row));
  }
  // The region that wastes most thread time comes first.
  const auto lost_in = [](const Summary& summary, const Parallel& row) { return summary.available - row.Sum(kWork); };
  const auto waste = [&](size_t i) { return lost_in(summaries[i], rows[i]); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return waste(a) > waste(b); });
  double serial = 0;
  for (const Parallel& row : Collect(f, Calls::kOutermost)) serial += lost_in(Summarize(f, row), row);
  view->totals = {{"parallel_regions", uint64_t{rows.size()}}, {"lost_s", serial}, {"idle_s", idle}};
  view->sheets = {MakeSheet(f, rows, summaries, order)};
  const view::Terminal& terminal = options.terminal;
  const size_t worst = order[0];
  view->text = view::Labelled("OpenMP",
                              view::Plural(rows.size(), "parallel region") + "; threads lose " +
                                  view::Seconds(serial, terminal.unicode) + " inside" +
                                  (idle > 0 ? ", and idle " + view::Seconds(idle, terminal.unicode) + " outside" : ""),
                              options.terminal.width);
  std::string lost = f.profile.regions[rows[worst].region].name + ": " + view::Seconds(waste(worst), terminal.unicode);
  if (summaries[worst].threads > 1) {
    lost += "; thread " + LocationName(f.profile, summaries[worst].busiest) + " has " +
            view::Ratio(summaries[worst].worst) + " times the mean work of its team";
  }
  view->text += view::Labelled("most lost", view::Printable(lost), options.terminal.width) + "\n";
  view->text += RenderSheet(view->sheets[0], options.TopOr(kDefaultParallels), terminal);
  view->text +=
      terminal.Dim(view::Wrapped("",
                                 "times, wall: of the first thread of each rank, or of all that led a team; the "
                                 "others: all threads; max/mean within a rank; eff: work of threads " +
                                     std::string(terminal.Times()) + " wall",
                                 0, options.terminal.width));
  view->next =
      "Uneven work within a rank: another schedule or smaller chunks; much waiting: larger regions, fewer barriers. "
      "`--load` shows each thread.";
  return true;
}

}  // namespace epik::report
