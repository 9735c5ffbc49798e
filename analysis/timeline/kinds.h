// SPDX-License-Identifier: BSD-3-Clause
// Kinds of time that the timeline tells apart.
#ifndef EPIK_ANALYSIS_TIMELINE_KINDS_H_
#define EPIK_ANALYSIS_TIMELINE_KINDS_H_

#include <cstdint>

#include "archive/profile/profile.h"

namespace epik::timeline {

enum class Kind : uint8_t {
#define KIND(Name, key, words) k##Name,
#include "analysis/timeline/kinds.def"
#undef KIND
};

struct KindInfo {
  const char* key;
  const char* words;
};

inline constexpr KindInfo kKinds[] = {
#define KIND(Name, key, words) {key, words},
#include "analysis/timeline/kinds.def"
#undef KIND
};
inline constexpr uint32_t kKindCount = sizeof kKinds / sizeof kKinds[0];

// The kind of the time that a region takes itself.
Kind KindOf(const archive::Region& region);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_KINDS_H_
