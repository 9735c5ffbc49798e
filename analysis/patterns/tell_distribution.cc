// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/tell_distribution.h"

#include <algorithm>

#include "analysis/patterns/iterations.h"
#include "analysis/patterns/patterns.h"
#include "analysis/replay/seconds.h"

namespace epik::patterns {

namespace {

constexpr size_t kMostPaths = 20;  // this many call paths get histograms

using replay::Seconds;
double Seconds(double ns) { return ns * 1e-9; }

findings::Spread SpreadOf(const Histogram& histogram, const archive::Profile& profile) {
  findings::Spread spread;
  spread.pattern = AllPatterns()[histogram.pattern]->name;
  if (histogram.path < profile.call_paths.size()) spread.callpath = profile.PathName(histogram.path);
  spread.instances = histogram.count;
  spread.seconds = Seconds(histogram.sum_ns);
  spread.min_s = Seconds(histogram.min_ns);
  spread.median_s = Seconds(histogram.Quantile(0.5));
  spread.p90_s = Seconds(histogram.Quantile(0.9));
  spread.p99_s = Seconds(histogram.Quantile(0.99));
  spread.max_s = Seconds(histogram.max_ns);
  for (const auto& [bucket, count] : histogram.buckets) {
    spread.buckets.push_back({Seconds(static_cast<double>(LogBucket::First(bucket))),
                              Seconds(static_cast<double>(LogBucket::Last(bucket))), count});
  }
  return spread;
}

std::vector<findings::Spread> SpreadsOf(const Severities& severities, const archive::Profile& profile) {
  std::vector<Histogram> all = severities.histograms().All();
  std::erase_if(all, [](const Histogram& one) { return !IsWaiting(*AllPatterns()[one.pattern]); });
  const auto of_all =
      std::stable_partition(all.begin(), all.end(), [](const Histogram& one) { return one.path == archive::kNone; });
  std::erase_if(
      all, [&](const Histogram& one) { return one.path != archive::kNone && one.path >= profile.call_paths.size(); });
  std::stable_sort(of_all, all.end(), [](const Histogram& a, const Histogram& b) { return a.sum_ns > b.sum_ns; });
  std::vector<findings::Spread> spreads;
  const size_t first = static_cast<size_t>(of_all - all.begin());
  for (size_t i = 0; i < std::min(all.size(), first + kMostPaths); ++i) spreads.push_back(SpreadOf(all[i], profile));
  return spreads;
}

findings::OverTime OverTimeOf(const TimeBins& bins) {
  findings::OverTime over_time;
  over_time.bin_s = Seconds(bins.width_ns());
  for (uint32_t p = 0; p < AllPatterns().size(); ++p) {
    if (bins.Of(p).empty() || !IsWaiting(*AllPatterns()[p])) continue;
    findings::Series series{AllPatterns()[p]->name, {}};
    for (size_t i = 0; i < bins.used(); ++i) series.seconds.push_back(Seconds(bins.Of(p)[i]));
    over_time.patterns.push_back(std::move(series));
  }
  return over_time;
}

}  // namespace

findings::Distribution TellDistribution(const Severities& severities, const archive::Profile& profile) {
  return {OverTimeOf(severities.over_time()), IterationsOf(profile), SpreadsOf(severities, profile)};
}

}  // namespace epik::patterns
