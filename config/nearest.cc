// SPDX-License-Identifier: BSD-3-Clause
#include "config/nearest.h"

#include <algorithm>
#include <string>

#include "config/words.h"

namespace epik::config {

int EditDistance(std::string_view first, std::string_view second) {
  const std::string a = Upper(first);
  const std::string b = Upper(second);
  // Three rows of the table of distances between beginnings: two letters back, one letter back, and this letter.
  std::vector<int> two_back, one_back(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) one_back[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = one_back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, one_back[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two_back[j - 2] + 1);
      }
    }
    two_back = one_back;
    std::swap(one_back, row);
  }
  return one_back[b.size()];
}

std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr size_t kLongest = 64;  // no name of ours is near that; bounds the work on hostile input
  if (word.size() > kLongest) return {};
  std::string_view best;
  int best_distance = std::clamp(static_cast<int>(word.size()) / 4, 1, 3) + 1;
  for (const std::string_view candidate : known) {
    const int distance = EditDistance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

}  // namespace epik::config
