// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/nearest.h"

#include <algorithm>

namespace epik::epk {
namespace {

// Edits that turn one into the other; a swap of neighbours is one edit, as it is one slip of the fingers.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({change, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string Nearest(const std::string& word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;  // nobody mistypes more; and the table is quadratic
  if (word.empty() || word.size() > kLongest) return "";
  std::vector<std::string> longer;
  for (const std::string& each : known) {
    if (word.size() >= 2 && each.starts_with(word)) longer.push_back(each);
  }
  if (longer.size() == 1) return longer[0];
  std::string nearest;
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& each : known) {
    // Two letters that differ in both are not near, however short the word.
    const size_t distance = Distance(word, each);
    if (distance < best && distance < each.size()) {
      best = distance;
      nearest = each;
    }
  }
  return nearest;
}

}  // namespace epik::epk
