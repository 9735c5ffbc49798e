// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/clocks/corrections.h"

#include <algorithm>

namespace epik::clocks {

Corrections::Corrections(const std::vector<uint64_t>& words) {
  for (size_t at = 0; at < words.size();) {
    const uint64_t said = words[at++];
    const uint64_t count = std::min<uint64_t>(said, (words.size() - at) / 2);
    std::vector<Knot>& some = knots_.emplace_back();
    for (uint64_t k = 0; k < count; ++k, at += 2) {
      some.push_back({static_cast<int64_t>(words[at]), static_cast<int64_t>(words[at + 1])});
    }
  }
}

std::vector<uint64_t> Corrections::Words() const {
  std::vector<uint64_t> words;
  for (const std::vector<Knot>& some : knots_) {
    words.push_back(some.size());
    for (const Knot& knot : some) {
      words.push_back(static_cast<uint64_t>(knot.measured));
      words.push_back(static_cast<uint64_t>(knot.corrected));
    }
  }
  return words;
}

int64_t Corrections::Between(const std::vector<Knot>& some, int64_t ns) {
  if (some.empty()) return ns;
  const auto next = std::upper_bound(some.begin(), some.end(), ns,
                                     [](int64_t wanted, const Knot& knot) { return wanted < knot.measured; });
  if (next == some.begin()) return std::min(ns, next->corrected);
  const Knot& last = *(next - 1);
  if (next == some.end()) return std::max(ns, last.corrected + Passes(ns - last.measured));
  const auto whole = static_cast<__int128>(next->corrected - last.corrected);
  return last.corrected + static_cast<int64_t>(whole * (ns - last.measured) / (next->measured - last.measured));
}

int64_t Corrections::largest() const {
  int64_t most = 0;
  for (const std::vector<Knot>& some : knots_) {
    for (const Knot& knot : some) most = std::max(most, knot.corrected - knot.measured);
  }
  return most;
}

}  // namespace epik::clocks
