// SPDX-License-Identifier: BSD-3-Clause
// Call paths that are timed now and then only, or not measured any more.
//
// A path that is *sampled* is timed once in each block of visits, at a place in it that is drawn anew each time, so
// that it does not beat with the program; the time of the others is estimated from these (archive/sampled_times.h).
// Blocks become shorter where the estimate is not good enough, and longer where it is. A path that is *dropped* is not
// entered any more: what is below it hangs below the nearest caller that is measured.
#ifndef EPIK_RUNTIME_CHOICE_SAMPLED_PATHS_H_
#define EPIK_RUNTIME_CHOICE_SAMPLED_PATHS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// The table of all call paths (hot_paths_hot.h). False: no memory. REQUIRES: inside.
bool OpenHotSlots();
void CloseHotSlots();  // in a forked child

// What was calibrated, in ticks (docs/formats.md).
struct HotCosts {
  double pair;     // an enter and exit that are timed
  double untimed;  // that are counted
  double empty;    // what a visit that does nothing measures
};

// The call path is sampled from now on, if it is not already; false: there is no room for what that needs.
// REQUIRES: the location is the caller's, and not in a cold function.
bool SamplePath(event::Location* location, uint32_t node, uint64_t now);
bool DropPath(event::Location* location, uint32_t node, uint64_t now);

// Then it cannot be dropped: its exit would be taken for its caller's.
bool CallsItself(uint32_t node);

// How the next of these blocks is laid out: the timed visit comes after `rest` + some of `interval` visits.
struct Block {
  uint32_t skip;
  uint32_t rest;
};
Block NextBlock(uint32_t rest, uint32_t interval, uint64_t random);

// What a timed visit tells of the others in its block of `interval` visits. `last_ticks`: of the one before; `longest`:
// that are no surprise.
void AddSample(event::SampledPath* path, uint32_t interval, uint64_t ticks, uint64_t last_ticks, uint64_t longest);
// Visits in the blocks to come, for an estimate that is good enough; `exact_ticks`: of all timed visits.
uint32_t BestInterval(const event::SampledPath& path, uint32_t interval, double exact_ticks);

inline constexpr uint32_t kFirstInterval = 64;
inline constexpr uint32_t kShortestInterval = 16;
inline constexpr uint32_t kLongestInterval = 128;

// How the path's next block is laid out.
Block NextBlockOf(const event::SampledPath* path, uint32_t rest, uint32_t interval);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_CHOICE_SAMPLED_PATHS_H_
