// SPDX-License-Identifier: BSD-3-Clause
// The way of an event while more is to be asked than its call path: filters, depth, hot paths, counters, switches.
#include "runtime/base/signals_blocked.h"
#include "runtime/choice/depth.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/filter_hot.h"
#include "runtime/choice/gate.h"
#include "runtime/choice/hot_paths_hot.h"
#include "runtime/choice/key_set.h"
#include "runtime/choice/pause.h"
#include "runtime/choice/probe_hot.h"
#include "runtime/choice/switches.h"
#include "runtime/choice/switches_hot.h"
#include "runtime/choice/unfiltered.h"
#include "runtime/episode/cold.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/modules.h"

namespace epik::choice {

using episode::current;

constinit episode::HookState hooks = {.filtered = &no_keys, .switched_off = &no_keys};

namespace {

// A function or construct on a path that is new: its library may have come just now. REQUIRES: inside.
bool IsOutWhenNew(Key key) {
  const base::SignalsBlocked blocked;  // a handler that jumped away now would take a lock with it
  if (!HasFilter() && !MaySwitchNew()) return false;
  if (event::IsFunction(key)) episode::NoteNewPath(key);
  SwitchNew(key);
  if (event::IsFunction(key)) FilterNewModules();
  return IsFiltered(key);
}

EPIK_COLD bool IsOutAtNewPath(Location* location, Key key) {
  const episode::Cold cold(location);
  return IsOutWhenNew(key);
}

// The clock first: reading the counters is the caller's time.
__attribute__((noinline)) void ExitCounted(Location* location, Key key, uint64_t stack) {
  const uint64_t left = base::Now();
  episode::Charge(location);
  episode::Exit(location, key, stack, [left] { return left; });
}

void FollowStack(uint64_t stack, bool enters) {
  if (Location* location = current) fibers::FollowStack(location, stack, enters);
}

// The way of an event when more than hot paths decides about it.
__attribute__((noinline)) void EnterUnlessOff(Key key, uint64_t stack) {
  const uint32_t now = WaysNow();
  if (HasProbes()) StopProbing();
  if ((now & kStackWay) != 0) FollowStack(stack, /*enters=*/true);
  if ((now & kClockWay) != 0) LookAtClock();
  if ((now & kGateWay) != 0) EnterWithinGate(key, stack);
  if (EPIK_UNLIKELY(IsFiltered(key))) {
    if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/true);
    return;
  }
  if ((now & kSwitchWay) != 0 && IsSwitchedOff(key)) return EnterOff(key, stack);
  if (HasHotPaths()) return EnterTimed(key, stack);
  EnterUnfiltered(key, stack);
}

// Looks only at the frame: the enter has decided about the call already.
void ExitByFrame(Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(IsFiltered(key))) {
    if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/false);
    return;
  }
  Location* location = current;
  const Frame* frame = location == nullptr ? nullptr : FrameAt(location->top);
  if (frame != nullptr && frame->key == key && event::IsOff(frame)) {
    if (hooks.depth_limit != 0 && WasTooDeep(location, key, stack)) return;
    return episode::PopOff(location, frame);
  }
  if (HasHotPaths()) return ExitTimed(key, stack);
  if (HasProbes()) return ExitProbedSlowly(key, stack);
  ExitUnfiltered(key, stack);
}

// On any of the stacks that the program switches between.
__attribute__((noinline)) void ExitFollowed(Location* location, Key key, uint64_t stack) {
  fibers::FollowStack(location, stack, /*enters=*/false);
  const episode::LastPart part = fibers::BeforeExit(location, key);
  ExitByFrame(key, stack);
  if (part.node != 0 && current == location) fibers::AfterExit(location, part);
}

__attribute__((noinline)) void ExitUnlessOff(Key key, uint64_t stack) {
  const uint32_t now = WaysNow();
  if (HasProbes()) StopProbing();
  if ((now & kClockWay) != 0) LookAtClock();
  if (Location* location = current; (now & kStackWay) != 0 && location != nullptr) {
    ExitFollowed(location, key, stack);
  } else {
    ExitByFrame(key, stack);
  }
  if ((now & kGateWay) != 0) PauseOutsideGate(stack);
}

}  // namespace

bool IsOutAtFirst(Key key, uint64_t stack) {
  {
    const episode::Inside guard;
    if (IsFiltered(key) || IsOutWhenNew(key)) return true;
  }
  if (!HasSwitches() || !IsSwitchedOff(key)) return false;
  EnterOff(key, stack);
  return true;
}

void EnterOff(Key key, uint64_t stack) {
  Location* location = episode::CurrentLocation();
  if (EPIK_UNLIKELY(location == nullptr)) return episode::EnterFirst(key, stack);
  if (EPIK_UNLIKELY(!episode::HasRoomForFrame(location)) && !episode::MakeRoomForFrame(location)) return;
  episode::PushUntimed(location, location->node, key, stack, event::kUntimed | event::kOff);
}

// Not inlined into the functions that ask the filter, so that a filtered call saves no registers.
__attribute__((noinline)) void EnterUnfiltered(Key key, uint64_t stack) {
  Location* location = current;
  // The first call of a thread may be too deep, because it hangs below the path that created the thread.
  if (EPIK_UNLIKELY(location == nullptr) && hooks.depth_limit != 0) location = episode::CurrentLocation();
  if (EPIK_UNLIKELY(location == nullptr)) return episode::EnterFirst(key, stack);
  if (hooks.depth_limit != 0 && IsTooDeep(location, key, stack)) return;
  episode::Charge(location);
  const uint32_t child = episode::CurrentChild(location, key);
  if (EPIK_UNLIKELY(child == 0)) {
    if (IsOutAtNewPath(location, key)) return;
    if (HasSwitches() && IsSwitchedOff(key)) return EnterOff(key, stack);
  }
  const bool usual = child != 0 && episode::HasRoomForFrame(location) && base::clock_is_tsc;
  if (EPIK_UNLIKELY(!usual)) return episode::EnterSlowly(location, key, stack);
  episode::Push(location, child, key, stack, base::ReadTsc);
}

__attribute__((noinline)) void ExitUnfiltered(Key key, uint64_t stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return episode::ExitFirst(key, stack);
  if (hooks.depth_limit != 0 && WasTooDeep(location, key, stack)) return;
  if (EPIK_UNLIKELY(hooks.counters_on)) return ExitCounted(location, key, stack);
  if (EPIK_UNLIKELY(!base::clock_is_tsc)) return episode::ExitSlowly(location, key, stack);
  episode::Exit(location, key, stack, base::ReadTsc);
}

void EnterUnusual(Key key, uint64_t stack, Location* location) {
  if (const uint32_t now = WaysNow(); EPIK_UNLIKELY(now != 0)) {
    if (now == kHotPathWay) return EnterHot(location, key, stack);
    return now == kProbeWay ? EnterProbed(location, key, stack) : EnterUnlessOff(key, stack);
  }
  if (EPIK_UNLIKELY(!IsFiltered(key))) return EnterUnfiltered(key, stack);
  if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/true);
}

void ExitUnusual(Key key, uint64_t stack, Location* location) {
  if (const uint32_t now = WaysNow(); EPIK_UNLIKELY(now != 0)) {
    if (now == kHotPathWay) return ExitHot(location, key, stack);
    return now == kProbeWay ? ExitProbed(location, key, stack) : ExitUnlessOff(key, stack);
  }
  if (EPIK_UNLIKELY(!IsFiltered(key))) return ExitUnfiltered(key, stack);
  if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/false);
}

}  // namespace epik::choice
