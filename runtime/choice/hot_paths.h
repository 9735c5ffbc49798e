// SPDX-License-Identifier: BSD-3-Clause
// EPK_HOT and EPK_BUDGET: choose the call paths that are timed only now and then, or not measured any more.
#ifndef EPIK_RUNTIME_CHOICE_HOT_PATHS_H_
#define EPIK_RUNTIME_CHOICE_HOT_PATHS_H_

#include <cstdint>

#include "runtime/episode/part.h"

namespace epik::choice {

enum class HotAction : uint8_t { kFull, kSample, kDrop };

struct HotLimits {
  HotAction action = HotAction::kFull;
  uint64_t calls = 0;          // a path is hot after so many visits,
  uint64_t percall_ticks = 0;  // if a visit takes less on average
  double budget = 0;           // share of the time that measuring may take; 0: any
  double ticks_of_ns = 1;
  bool patch = false;  // patch out calls of functions that the budget excludes
};

// Does nothing if no limit is set. REQUIRES: inside.
void StartHotPaths(const HotLimits& limits);

extern const episode::Part hot_paths_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_HOT_PATHS_H_
