// SPDX-License-Identifier: BSD-3-Clause
// EPK_HOT: call paths with many short visits are counted always and timed now and then, or not measured any more. Hooks
// look at hot paths only on the way of filters, so without EPK_HOT they cost nothing.
//
// A private table of the process holds the state of each call path, by the line of its node. The arena holds what
// readers need (event::SampledPath).
#ifndef EPIK_RUNTIME_CHOICE_HOT_PATHS_HOT_H_
#define EPIK_RUNTIME_CHOICE_HOT_PATHS_HOT_H_

#include "runtime/episode/hook_state.h"
#include "runtime/episode/untimed_hot.h"

namespace epik::choice {

using event::Frame;
using event::FrameAt;
using event::Key;
using event::Location;
using event::NodeAt;

struct HotSlot {
  uint32_t skip;        // 0: timed always; 1: this visit is timed; kDropped; else visits until one is timed, and 1
  uint32_t line;        // of its SampledPath; 0: not sampled
  uint64_t look_from;   // number of visits from which on the path is looked at
  uint64_t last_ticks;  // of the visit timed last
  uint64_t seen;        // visits, at the last look of the budget
  uint32_t interval;    // visits in a block
  uint32_t rest;        // visits left in the block of the last timed visit
};
inline constexpr uint32_t kDropped = ~uint32_t{0};

EPIK_HOT bool HasHotPaths() { return __atomic_load_n(&hooks.hot_slots, __ATOMIC_RELAXED) != nullptr; }

// Handles everything else: paths that are timed, filtered, dropped or not known yet.
__attribute__((noinline)) void EnterTimed(Key key, uint64_t stack);
__attribute__((noinline)) void ExitTimed(Key key, uint64_t stack);

// The usual way of visits that are timed, because their call path is not hot yet or it is their turn. The call path is
// known, so neither filter nor depth concern it. It is a function of its own, so that visits which are not timed save
// no registers.
__attribute__((noinline)) void EnterTimedAtOnce(Location* location, uint32_t child, Key key, uint64_t stack);
__attribute__((noinline)) void ExitTimedAtOnce(Location* location, const Frame* frame, Key key, uint64_t stack);

// Handles a child that is not the one that was entered last.
__attribute__((noinline)) void EnterOtherHot(Location* location, Key key, uint64_t stack);

// REQUIRES: the child is known.
EPIK_HOT void EnterChildHot(Location* location, uint32_t child, Key key, uint64_t stack) {
  HotSlot* slot = &hooks.hot_slots[child];
  const uint32_t skip = slot->skip;
  const bool untimed = skip - 2 < kDropped - 2 && episode::HasRoomForFrame(location);
  if (EPIK_UNLIKELY(!untimed)) return EnterTimedAtOnce(location, child, key, stack);
  slot->skip = skip - 1;
  episode::PushUntimed(location, child, key, stack);
}

// EnterUnusual and ExitUnusual call these while there are hot paths.
EPIK_HOT void EnterHot(Location* location, Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(location == nullptr)) return EnterTimed(key, stack);
  const uint32_t child = epitome::LastChild(NodeAt(location->node), key);
  if (child == 0) return EnterOtherHot(location, key, stack);
  EnterChildHot(location, child, key, stack);
}

EPIK_HOT void ExitHot(Location* location, Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(location == nullptr)) return ExitTimed(key, stack);
  const uint32_t top = location->top;
  const Frame* frame = FrameAt(top);
  const bool untimed = frame->key == key && static_cast<int64_t>(frame->entered) < 0 && top > location->logged;
  if (EPIK_UNLIKELY(!untimed)) return ExitTimedAtOnce(location, frame, key, stack);
  episode::PopUntimed(location, frame);
}

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_HOT_PATHS_HOT_H_
