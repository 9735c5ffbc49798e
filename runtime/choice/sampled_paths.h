// SPDX-License-Identifier: BSD-3-Clause
// Call paths that are timed only now and then, or not measured any more.
//
// A *sampled* path is timed once in each block of visits. The place in the block is drawn at random each time, so that
// sampling does not beat with the program. Readers estimate the time of the other visits
// (archive/metrics/sampled_times.h). Blocks become shorter where the estimate is not good enough, and longer where it
// is. A *dropped* path is not entered any more; its callees hang below the nearest caller that is measured.
#ifndef EPIK_RUNTIME_CHOICE_SAMPLED_PATHS_H_
#define EPIK_RUNTIME_CHOICE_SAMPLED_PATHS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::choice {

// The table of all call paths (hot_paths_hot.h). False: no memory. REQUIRES: inside.
bool OpenHotSlots();
void CloseHotSlots();  // in a forked child

// Calibrated costs, in ticks (docs/formats.md).
struct HotCosts {
  double pair;     // of a timed enter and exit
  double untimed;  // of one that is only counted
  double empty;    // time that an empty visit measures
};

// The creation of an OpenMP task is like a call. A task itself is not: it gives its time back to the call path that it
// interrupted, so it needs its times.
inline bool CanBeSampled(event::Key key) {
  return event::IsFunction(key) || event::ConstructOf(key) == event::Construct::kTaskCreate;
}

// Samples the call path from now on, if it is not sampled already; false: no room for its SampledPath.
// REQUIRES: the location is the caller's, and not in a cold function.
bool SamplePath(event::Location* location, uint32_t node, uint64_t now);
bool DropPath(event::Location* location, uint32_t node, uint64_t now);

// Such a path cannot be dropped: the exit of a call would be taken for the exit of its caller.
bool CallsItself(uint32_t node);

// The layout of the next block: the timed visit comes after `rest` and some of `interval` visits.
struct Block {
  uint32_t skip;
  uint32_t rest;
};
Block NextBlock(uint32_t rest, uint32_t interval, uint64_t random);

// Adds what a timed visit tells about the others in its block of `interval` visits. `last_ticks`: ticks of the timed
// visit before; `longest`: ticks up to which a visit is no surprise.
void AddSample(event::SampledPath* path, uint32_t interval, uint64_t ticks, uint64_t last_ticks, uint64_t longest);
// Visits in the blocks to come, for an estimate that is good enough; `exact_ticks`: of all timed visits.
uint32_t BestInterval(const event::SampledPath& path, uint32_t interval, double exact_ticks);

inline constexpr uint32_t kFirstInterval = 64;
inline constexpr uint32_t kShortestInterval = 16;
inline constexpr uint32_t kLongestInterval = 128;

// Lays out the path's next block.
Block NextBlockOf(const event::SampledPath* path, uint32_t rest, uint32_t interval);

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_SAMPLED_PATHS_H_
