// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/path_times.h"

#include <algorithm>

#include "archive/profile/region_class.h"

namespace epik::approximation {

using archive::kNone;
using archive::Profile;

namespace {

// Half of the time that a visit adds is between its own time stamps, and the other half is its caller's.
constexpr double kHalf = 0.5;

}  // namespace

std::vector<double> CostAt(const Profile& profile, const Prices& prices, Bound bound, uint32_t location,
                           const std::vector<double>& own) {
  std::vector<double> cost(profile.call_paths.size());
  const PaidVisits visits(profile);
  for (uint32_t path = 0; path < cost.size(); ++path) {
    if (prices.IsOwn(path)) {
      cost[path] += own[path];
      continue;
    }
    const double half = kHalf * visits.Seconds(prices, bound, path, location);
    const uint32_t parent = profile.call_paths[path].parent;
    cost[path] += half;
    cost[parent == kNone ? path : parent] += half;
  }
  return cost;
}

bool MayWait(const archive::Region& region) {
  const std::string_view metric = archive::TimeMetricOf(region);
  // MPI_Comm_rank, MPI_Wtime and the like have no class, and wait for nobody.
  if (metric.starts_with("mpi")) return metric != "mpi_init_exit" && metric != "mpi";
  // A thread itself is code.
  return metric.starts_with("omp_") || (region.paradigm == "pthread" && metric != "comp");
}

std::vector<PathTime> TimesWithout(const Profile& profile, const Prices& prices) {
  std::vector<PathTime> times(profile.call_paths.size());
  const uint32_t time = profile.FindMetric("time");
  if (time == kNone) return times;
  // A wait becomes shorter by no more than the cost of the slowest other location, and by no more than its whole time.
  const ProfileCost costs = CostOf(profile, prices, Bound::kLower);
  double most = 0;
  for (const double cost : costs.by_location) most = std::max(most, cost);
  for (uint32_t path = 0; path < times.size(); ++path) {
    times[path].waits = MayWait(profile.regions[profile.call_paths[path].region]);
  }
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const std::vector<double> own = profile.Exclusive(time, l);
    const std::vector<double> upper = CostAt(profile, prices, Bound::kLower, l, own);
    const std::vector<double> lower = CostAt(profile, prices, Bound::kUpper, l, own);
    for (uint32_t path = 0; path < times.size(); ++path) {
      PathTime& sum = times[path];
      sum.measured += own[path];
      const double others = sum.waits ? most : 0, itself = sum.waits && own[path] > 0 ? costs.by_location[l] : 0;
      sum.least += std::max(0.0, own[path] - upper[path] - others);
      sum.most += std::max(0.0, own[path] - lower[path]) + itself;
    }
  }
  return times;
}

}  // namespace epik::approximation
