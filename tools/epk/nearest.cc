// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/nearest.h"

#include <string_view>

#include "config/nearest.h"

namespace epik::epk {

std::string Nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string* longer = nullptr;
  size_t completions = 0;
  for (const std::string& each : known) {
    if (word.size() < 2 || !each.starts_with(word)) continue;
    longer = &each;
    ++completions;
  }
  if (completions == 1) return *longer;
  return std::string(config::Nearest(word, {known.begin(), known.end()}));
}

}  // namespace epik::epk
