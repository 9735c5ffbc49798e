// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/rows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace epik::timeline {
namespace {

constexpr size_t kSteps = 32;  // parts of the time in a signature
constexpr double kAlike = 0.02;
constexpr double kWider = 1.6;  // if there are still too many rows

using Signature = std::array<float, kSteps * kKindCount>;

Signature SignatureOf(const Bins& bins, int64_t from, int64_t to) {
  Signature signature{};
  const Bins steps = Rebin(bins, from, to, kSteps);
  for (size_t step = 0; step < steps.size(); ++step) {
    for (uint32_t p = steps.begin[step]; p < steps.begin[step + 1]; ++p) {
      signature[step * kKindCount + steps.parts[p].kind] = static_cast<float>(steps.parts[p].share) / 65535;
    }
  }
  return signature;
}

// The share of the time in which the two locations differ.
double Difference(const Signature& one, const Signature& other) {
  double sum = 0;
  for (size_t i = 0; i < one.size(); ++i) sum += std::abs(one[i] - other[i]);
  return sum / 2 / kSteps;
}

}  // namespace

std::vector<std::vector<uint32_t>> FoldAlike(const std::vector<Bins>& locations, const std::vector<uint32_t>& group_of,
                                             size_t most) {
  int64_t from = INT64_MAX, to = INT64_MIN;
  for (const Bins& bins : locations) {
    if (bins.size() == 0) continue;
    from = std::min(from, bins.from);
    to = std::max(to, bins.to());
  }
  std::vector<std::vector<uint32_t>> rows;
  if (locations.size() <= most || from >= to) {
    for (uint32_t location = 0; location < locations.size(); ++location) rows.push_back({location});
    return rows;
  }
  std::vector<Signature> signatures;
  signatures.reserve(locations.size());
  for (const Bins& bins : locations) signatures.push_back(SignatureOf(bins, from, to));
  for (double alike = kAlike;; alike *= kWider) {
    rows.clear();
    for (uint32_t location = 0; location < locations.size(); ++location) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const std::vector<uint32_t>& members) {
        return group_of[members[0]] == group_of[location] &&
               Difference(signatures[members[0]], signatures[location]) <= alike;
      });
      if (row != rows.end()) {
        row->push_back(location);
      } else {
        rows.push_back({location});
      }
      const bool too_many = rows.size() > most && alike < 1;
      if (too_many) break;
    }
    if (rows.size() <= most || alike >= 1) return rows;
  }
}

}  // namespace epik::timeline
