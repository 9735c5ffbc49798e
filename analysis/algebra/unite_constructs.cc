// SPDX-License-Identifier: BSD-3-Clause
// Constructs of OpenMP have their lines in their names, and lines change when code moves. So constructs are matched by
// properties that stay: kind, function around them, and order within it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/algebra/unite.h"

namespace epik::algebra::internal {

using archive::kNone;
using archive::Profile;
using archive::Region;

namespace {

constexpr size_t kLargestTable = size_t{1} << 22;  // for larger tables, order alone decides

// For each region, the nearest function above it in all its call paths; kNone where they disagree.
std::vector<uint32_t> FunctionsAround(const Profile& profile) {
  std::vector<uint32_t> around(profile.regions.size(), kNone), nearest(profile.call_paths.size(), kNone);
  std::vector<bool> met(profile.regions.size());
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    const archive::CallPath& path = profile.call_paths[p];
    const uint32_t above = path.parent == kNone ? kNone : nearest[path.parent];
    nearest[p] = profile.regions[path.region].paradigm == "openmp" ? above : path.region;
    if (!met[path.region]) around[path.region] = above;
    if (around[path.region] != above) around[path.region] = kNone;
    met[path.region] = true;
  }
  return around;
}

}  // namespace

bool IsConstruct(const Region& region) {
  return region.paradigm == "openmp" && region.name.find(" @") != std::string::npos;
}

std::vector<Construct> Constructs(const Profile& profile) {
  std::vector<Construct> constructs(profile.regions.size());
  const std::vector<uint32_t> around = FunctionsAround(profile);
  for (uint32_t r = 0; r < constructs.size(); ++r) {
    const Region& region = profile.regions[r];
    if (!IsConstruct(region)) continue;
    const std::string kind = region.name.substr(0, region.name.find(" @"));
    const std::string file = region.file.substr(region.file.rfind('/') + 1);
    const Region* function = around[r] == kNone ? nullptr : &profile.regions[around[r]];
    constructs[r].key = kind + '\n' + file + '\n' + (function == nullptr ? "" : function->name);
    constructs[r].line = region.begin_line;
    if (function != nullptr && function->file == region.file && function->begin_line > 0) {
      constructs[r].line -= function->begin_line;
    }
  }
  return constructs;
}

std::vector<uint32_t> Align(const std::vector<int>& few, const std::vector<int>& many) {
  const size_t n = few.size(), m = many.size();
  std::vector<uint32_t> partner(n);
  for (uint32_t i = 0; i < n; ++i) partner[i] = i;
  if (n == m || (n + 1) * (m + 1) > kLargestTable) return partner;
  // cost[i][j]: the least sum of distances when the first i of the few have partners among the first j of the many.
  constexpr long kNever = 1L << 50;
  std::vector<std::vector<long>> cost(n + 1, std::vector<long>(m + 1, 0));
  for (size_t i = 1; i <= n; ++i) {
    cost[i][0] = kNever;
    for (size_t j = 1; j <= m; ++j) {
      cost[i][j] = std::min(cost[i][j - 1], cost[i - 1][j - 1] + std::labs(long{few[i - 1]} - many[j - 1]));
    }
  }
  for (size_t i = n, j = m; i > 0; --j) {
    if (j > i && cost[i][j] == cost[i][j - 1]) continue;
    partner[--i] = static_cast<uint32_t>(j - 1);
  }
  return partner;
}

std::vector<std::pair<uint32_t, uint32_t>> MatchConstructs(const std::vector<Construct>& own,
                                                           const std::vector<Construct>& united) {
  using List = std::vector<uint32_t>;
  const auto by_key = [](const std::vector<Construct>& constructs) {
    std::unordered_map<std::string_view, List> lists;
    for (uint32_t r = 0; r < constructs.size(); ++r) {
      if (!constructs[r].key.empty()) lists[constructs[r].key].push_back(r);
    }
    for (auto& [key, list] : lists) {
      std::stable_sort(list.begin(), list.end(),
                       [&](uint32_t a, uint32_t b) { return constructs[a].line < constructs[b].line; });
    }
    return lists;
  };
  const auto lines = [](const List& list, const std::vector<Construct>& constructs) {
    std::vector<int> numbers;
    for (const uint32_t r : list) numbers.push_back(constructs[r].line);
    return numbers;
  };
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  const auto all_own = by_key(own), all_united = by_key(united);
  for (const auto& [key, list] : all_own) {
    const auto found = all_united.find(key);
    if (found == all_united.end()) continue;
    const bool fewer = list.size() <= found->second.size();
    const List &few = fewer ? list : found->second, &many = fewer ? found->second : list;
    const std::vector<uint32_t> partner = Align(lines(few, fewer ? own : united), lines(many, fewer ? united : own));
    for (uint32_t i = 0; i < few.size(); ++i) {
      const uint32_t other = many[partner[i]];
      pairs.emplace_back(fewer ? few[i] : other, fewer ? other : few[i]);
    }
  }
  return pairs;
}

}  // namespace epik::algebra::internal
