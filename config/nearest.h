// SPDX-License-Identifier: BSD-3-Clause
// "Did you mean …?": finds the known word that is nearest to a mistyped one.
#ifndef EPIK_CONFIG_NEAREST_H_
#define EPIK_CONFIG_NEAREST_H_

#include <string_view>
#include <vector>

namespace epik::config {

// Letters inserted, dropped, changed or swapped with their neighbour (Damerau-Levenshtein, each place edited once);
// upper and lower case are the same.
int EditDistance(std::string_view a, std::string_view b);

// The first of the nearest words; empty when none is near enough to be meant (a quarter of the letters, at most 3).
std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace epik::config

#endif  // EPIK_CONFIG_NEAREST_H_
