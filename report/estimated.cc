// SPDX-License-Identifier: BSD-3-Clause
#include "report/estimated.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "view/name.h"
#include "view/number.h"
#include "view/terminal.h"

namespace epik::report {
namespace {

struct Estimated {
  double seconds = 0, variance = 0;
  uint64_t untimed = 0, dropped = 0;
};

}  // namespace

std::string EstimatedRegions(const Figures& f, const view::Terminal& terminal) {
  const std::vector<uint64_t> untimed = f.Sums("untimed_visits");
  const std::vector<uint64_t> calls = f.Sums("dropped_calls");
  const uint32_t variance = f.profile.FindMetric("time_variance");
  const uint32_t dropped = f.profile.FindMetric("dropped_calls");
  if (variance == archive::kNone && dropped == archive::kNone) return "";
  std::vector<bool> was_dropped(f.visits.size());
  f.ForRows(dropped, [&](uint32_t p, const uint64_t*) { was_dropped[p] = true; });
  std::map<std::string, Estimated> regions;
  const auto of = [&](uint32_t p) { return &regions[f.profile.regions[f.profile.call_paths[p].region].name]; };
  for (uint32_t p = 0; p < f.visits.size(); ++p) {
    if (untimed[p] == 0 && !was_dropped[p]) continue;
    Estimated* region = of(p);
    region->seconds += f.time.ExclusiveSum(p);
    region->untimed += untimed[p];
    region->dropped += was_dropped[p] ? std::max<uint64_t>(calls[p], 1) : 0;
  }
  f.ForRows(variance, [&](uint32_t p, const uint64_t* cells) {
    if (untimed[p] == 0 && !was_dropped[p]) return;
    for (size_t l = 0; l < f.profile.locations.size(); ++l) of(p)->variance += std::bit_cast<double>(cells[l]);
  });
  std::vector<std::pair<std::string, Estimated>> order(regions.begin(), regions.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.untimed + a.second.dropped > b.second.untimed + b.second.dropped;
  });
  constexpr size_t kMostNamed = 8;
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kMostNamed); ++i) {
    const Estimated& region = order[i].second;
    text += (text.empty() ? "" : ", ") + view::ShortName(order[i].first, 40, terminal);
    if (region.untimed != 0) {
      text += " " + view::Seconds(region.seconds, terminal.unicode) + (terminal.unicode ? " ± " : " +- ") +
              view::Seconds(std::sqrt(std::max(region.variance, 0.0)), terminal.unicode);
    }
    if (region.dropped != 0) text += " (dropped)";
  }
  if (order.size() > kMostNamed) text += " and " + std::to_string(order.size() - kMostNamed) + " more";
  return text;
}

}  // namespace epik::report
