// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/perturbation.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/approximation/path_times.h"
#include "archive/profile/path_names.h"

namespace epik::approximation {

using archive::kNone;
using archive::Profile;

namespace {

constexpr double kNothing = 1e-9;  // s

std::vector<double> OwnSeconds(const Profile& profile) {
  std::vector<double> sum(profile.call_paths.size());
  const uint32_t time = profile.FindMetric("time");
  for (uint32_t l = 0; time != kNone && l < profile.locations.size(); ++l) {
    const std::vector<double> own = profile.Exclusive(time, l);
    for (size_t path = 0; path < sum.size(); ++path) sum[path] += own[path];
  }
  return sum;
}

std::vector<double> CostOfPaths(const Profile& profile, const Prices& prices, Bound bound) {
  std::vector<double> sum(profile.call_paths.size());
  const uint32_t time = profile.FindMetric("time");
  for (uint32_t l = 0; time != kNone && l < profile.locations.size(); ++l) {
    const std::vector<double> cost = CostAt(profile, prices, bound, l, profile.Exclusive(time, l));
    for (size_t path = 0; path < sum.size(); ++path) sum[path] += cost[path];
  }
  return sum;
}

}  // namespace

Perturbation PerturbationOf(const Profile& measured, const Profile& traced, const Profile& approximated,
                            const Prices& prices, Bound bound) {
  const std::vector<double> after = OwnSeconds(approximated);
  archive::SamePaths numbers;
  const std::vector<uint32_t> numbers_after = numbers.Of(approximated), numbers_before = numbers.Of(measured);
  std::unordered_map<uint32_t, double> left;
  for (uint32_t path = 0; path < after.size(); ++path) left[numbers_after[path]] += after[path];
  const size_t count = measured.call_paths.size();
  std::vector<double> before = OwnSeconds(traced), cost = CostOfPaths(measured, prices, bound);
  std::vector<PathPerturbation> all(count);
  // Callees come after their callers.
  for (size_t path = count; path-- > 0;) {
    const uint32_t parent = measured.call_paths[path].parent;
    const auto found = left.find(numbers_before[path]);
    if (found == left.end() && parent != kNone) {
      before[parent] += before[path];
      cost[parent] += cost[path];
      continue;
    }
    all[path].path = static_cast<uint32_t>(path);
    all[path].measured = before[path];
    all[path].approximated = found == left.end() ? 0 : found->second;
  }
  Perturbation result;
  for (PathPerturbation& one : all) {
    const double gone = one.measured - one.approximated;
    const bool waits = MayWait(measured.regions[measured.call_paths[one.path].region]);
    one.direct = waits ? std::min(cost[one.path], std::max(gone, 0.0)) : gone;
    one.induced = gone - one.direct;
    result.measured += one.measured;
    result.direct += one.direct;
    result.induced += one.induced;
    if (std::abs(gone) > kNothing) result.paths.push_back(one);
  }
  std::stable_sort(result.paths.begin(), result.paths.end(), [](const auto& a, const auto& b) {
    return a.measured - a.approximated > b.measured - b.approximated;
  });
  return result;
}

}  // namespace epik::approximation
