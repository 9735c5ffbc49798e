// SPDX-License-Identifier: BSD-3-Clause
// Counts that stand beside the times of wait states.
#ifndef EPIK_ANALYSIS_PATTERNS_COUNTS_H_
#define EPIK_ANALYSIS_PATTERNS_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace epik::patterns {

enum class Count : uint8_t {
#define COUNT(Name, metric, parent, label, description) k##Name,
#include "analysis/patterns/counts.def"
#undef COUNT
};

struct CountInfo {
  const char *metric, *parent, *label, *description;
};
inline constexpr CountInfo kCounts[] = {
#define COUNT(Name, metric, parent, label, description) {metric, parent, label, description},
#include "analysis/patterns/counts.def"
#undef COUNT
};
inline const CountInfo& InfoOf(Count count) { return kCounts[static_cast<size_t>(count)]; }

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_COUNTS_H_
