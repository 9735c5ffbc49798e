// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/imbalances.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "archive/profile/region_class.h"

namespace epik::report {

using archive::kNone;
using archive::Profile;

namespace {

constexpr double kEven = 1.02;       // busiest over mean: values below are even
constexpr double kNearlyAll = 0.95;  // a part of it; then the rest does not matter
constexpr size_t kMostOf = 100;      // regions without their callees, and as many parallel regions

using ByLocation = std::vector<double>;

void AddTo(const ByLocation& row, ByLocation* sum) {
  for (size_t l = 0; l < row.size(); ++l) (*sum)[l] += row[l];
}

double Sum(const ByLocation& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

class ImbalanceFinder {
 public:
  ImbalanceFinder(const Figures& figures, const std::vector<PollingLoop>& polling)
      : f_(figures),
        profile_(figures.profile),
        all_code_(RootOfAllCode(figures)),
        waits_(profile_.locations.size()),
        free_(profile_.locations.size()),
        taken_off_(profile_.regions.size()) {
    for (const PollingLoop& loop : polling) {
      for (const auto& [region, seconds] : loop.between) {
        AddTo(seconds, &TakenOff(region));
        if (!loop.is_all_code) AddTo(seconds, &waits_);
      }
    }
    const ByLocation between_polls = waits_;
    ByLocation busy(waits_.size());  // seconds in MPI in which nobody waits
    for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
      if (WaitsForWork(r)) AddTo(f_.region_times[r], &waits_);
      AddBusy(r, &busy);
    }
    double longest = 0;
    for (size_t l = 0; l < waits_.size(); ++l) {
      const auto& uses = f_.location_uses[l];
      for (const Use use : {Use::kMpi, Use::kOmp, Use::kIdle}) waits_[l] += uses[static_cast<size_t>(use)];
      waits_[l] = std::max(0.0, waits_[l] - busy[l]);
      longest = std::max(longest, std::accumulate(uses.begin(), uses.end(), 0.0));
    }
    for (size_t l = 0; l < free_.size(); ++l) {
      free_[l] = longest - f_.location_uses[l][static_cast<size_t>(Use::kComputation)] - busy[l] + between_polls[l];
    }
  }

  std::vector<Imbalance> Find() {
    if (!(f_.time.Total() > 0) || waits_.size() < 2) return {};
    AddUp();
    for (uint32_t r = 0; r < f_.region_times.size(); ++r) {
      if (!Computes(r) || f_.region_times[r].empty() || IsPartOfAllCode(r)) continue;
      ByLocation values = ShareableTime(r);
      for (uint32_t part = 0; r == all_code_ && part < f_.region_times.size(); ++part) {
        if (IsPartOfAllCode(part) && !f_.region_times[part].empty()) AddTo(ShareableTime(part), &values);
      }
      Compare(r, false, values);
    }
    KeepWorst();
    begin_ = found_.size();
    for (const auto& [region, values] : wholes_) {
      const double own = region < f_.region_times.size() ? Sum(f_.region_times[region]) : 0;
      if (own < kNearlyAll * Sum(values)) Compare(region, true, values);
    }
    const auto of_parts = found_.begin() + static_cast<std::ptrdiff_t>(begin_);
    found_.erase(std::remove_if(of_parts, found_.end(), [&](const Imbalance& whole) { return IsOfOne(whole); }),
                 found_.end());
    KeepWorst();
    Sort(0);
    return std::move(found_);
  }

 private:
  bool Computes(uint32_t region) const {
    if (f_.uses[region] != Use::kComputation) return false;
    return region == all_code_ || profile_.regions[region].role != "artificial";
  }

  // Without hooks, a thread has the program's own code in a region of its own.
  bool IsPartOfAllCode(uint32_t region) const { return all_code_ != kNone && IsThread(profile_.regions[region]); }

  ByLocation ShareableTime(uint32_t region) const {
    ByLocation values = f_.region_times[region];
    const ByLocation& off = taken_off_[region];
    for (size_t l = 0; l < off.size(); ++l) values[l] = std::max(0.0, values[l] - off[l]);
    return values;
  }

  // Threads of libc that wait for a signal can take over work. Threads that wait for a lock, or for a thread's end,
  // cannot.
  bool WaitsForWork(uint32_t region) const {
    const std::string_view metric = archive::TimeMetricOf(profile_.regions[region]);
    return metric == "pthread_conditional" || metric == "pthread_barrier" || metric == "pthread_semaphore";
  }

  // Local functions of MPI wait for nobody, and no process can compute while MPI starts or ends on all of them.
  void AddBusy(uint32_t region, ByLocation* busy) const {
    const ByLocation& row = f_.region_times[region];
    const archive::Region& what = profile_.regions[region];
    if (archive::KindOf(what) == archive::RegionKind::kMpi && archive::IsLocalMpi(what.name)) AddTo(row, busy);
    if (archive::TimeMetricOf(what) != "mpi_init_exit") return;
    double least = std::numeric_limits<double>::max();
    for (const double seconds : row) {
      if (seconds > 0) least = std::min(least, seconds);
    }
    for (size_t l = 0; l < row.size(); ++l) (*busy)[l] += std::min(row[l], least);
  }

  ByLocation& TakenOff(uint32_t region) {
    taken_off_[region].resize(waits_.size());
    return taken_off_[region];
  }

  // One thread at a time computes in a critical section, so no other thread can take a share of its work. All other
  // computation counts for the parallel regions around it, too.
  void AddUp() {
    std::vector<bool> exclusive(profile_.call_paths.size());
    std::vector<uint32_t> team(profile_.call_paths.size(), kNone);  // the innermost parallel region around it: a path
    for (uint32_t p = 0; p < exclusive.size(); ++p) {
      const archive::CallPath& path = profile_.call_paths[p];
      const archive::Region& region = profile_.regions[path.region];
      const std::string_view metric = archive::TimeMetricOf(region);
      const bool has_parent = path.parent != kNone && path.parent < p;
      exclusive[p] = metric == "omp_critical" || metric == "omp_ordered" || (has_parent && exclusive[path.parent]);
      team[p] = region.paradigm == "openmp" && (region.role == "parallel" || region.role == "teams") ? p
                : has_parent                                                                         ? team[path.parent]
                                                                                                     : kNone;
      if (!Computes(path.region) || (!exclusive[p] && team[p] == kNone)) continue;
      const ByLocation& row = f_.time.ExclusiveRow(p);
      if (row.empty()) continue;
      if (exclusive[p]) {
        AddTo(row, &TakenOff(path.region));
      } else {
        AddToTeams(row, p, team);
      }
    }
  }

  void AddToTeams(const ByLocation& row, uint32_t path, const std::vector<uint32_t>& team) {
    std::vector<uint32_t> seen;  // regions
    for (uint32_t p = team[path]; p != kNone;) {
      const uint32_t region = profile_.call_paths[p].region;
      if (std::find(seen.begin(), seen.end(), region) == seen.end()) {
        ByLocation& whole = wholes_[region];
        whole.resize(waits_.size());
        AddTo(row, &whole);
        seen.push_back(region);
      }
      const uint32_t parent = profile_.call_paths[p].parent;
      p = parent == kNone ? kNone : team[parent];
    }
  }

  // Compares all threads that run the region, or wait for those that do. While the others compute, they cannot take a
  // share of its work.
  void Compare(uint32_t region, bool is_whole, const ByLocation& values) {
    Imbalance here{region, is_whole, values};
    here.busiest = static_cast<uint32_t>(std::max_element(values.begin(), values.end()) - values.begin());
    double sum = 0, others_free = 0;
    for (size_t l = 0; l < values.size(); ++l) {
      if (!(values[l] > 0) && !(waits_[l] > 0)) {
        here.seconds[l] = -1;
        continue;
      }
      ++here.count;
      here.ran += values[l] > 0 ? 1 : 0;
      sum += values[l];
      if (l != here.busiest) others_free += free_[l];
    }
    if (here.count < 2 || !(sum > 0)) return;
    here.most = values[here.busiest];
    here.mean = sum / static_cast<double>(here.count);
    if (here.most < kEven * here.mean) return;
    here.saved = std::min(here.most - here.mean, others_free / static_cast<double>(here.count - 1));
    for (size_t l = 0; l < values.size(); ++l) {
      const bool takes_part = l != here.busiest && here.seconds[l] >= 0;
      if (takes_part && free_[l] >= kNearlyAll * here.saved) ++here.waiting;
    }
    found_.push_back(std::move(here));
    if (found_.size() >= begin_ + 2 * kMostOf) KeepWorst();
  }

  // Whether one region without its callees is as uneven as the whole.
  bool IsOfOne(const Imbalance& whole) const {
    return std::any_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(begin_), [&](const auto& part) {
      return part.busiest == whole.busiest && part.saved >= kNearlyAll * whole.saved &&
             part.most >= kNearlyAll * whole.most;
    });
  }

  void Sort(size_t from) {
    std::stable_sort(found_.begin() + static_cast<std::ptrdiff_t>(from), found_.end(),
                     [](const Imbalance& a, const Imbalance& b) { return a.saved > b.saved; });
  }

  // Each has a value for every location, and a program may have thousands of both.
  void KeepWorst() {
    Sort(begin_);
    if (found_.size() > begin_ + kMostOf) found_.resize(begin_ + kMostOf);
  }

  const Figures& f_;
  const Profile& profile_;
  const uint32_t all_code_;                // region: the program's root, if it has no hooks; or none
  ByLocation waits_;                       // seconds in MPI, between polls, in OpenMP's synchronisation, idle
  ByLocation free_;                        // seconds of the longest location's run in which it was free, or had ended
  std::vector<ByLocation> taken_off_;      // by region: seconds in critical sections and in loops that poll
  std::map<uint32_t, ByLocation> wholes_;  // by parallel region: seconds of computation in it
  std::vector<Imbalance> found_;
  size_t begin_ = 0;  // of those that are looked for now
};

}  // namespace

std::vector<Imbalance> FindImbalances(const Figures& figures, const std::vector<PollingLoop>& polling) {
  return ImbalanceFinder(figures, polling).Find();
}

uint32_t HottestPath(const Figures& f, uint32_t region) {
  uint32_t best = kNone;
  for (uint32_t p = 0; p < f.profile.call_paths.size(); ++p) {
    if (f.profile.call_paths[p].region != region) continue;
    if (best == kNone || f.time.ExclusiveSum(p) > f.time.ExclusiveSum(best)) best = p;
  }
  return best;
}

}  // namespace epik::report
