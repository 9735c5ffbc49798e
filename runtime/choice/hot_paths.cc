// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/hot_paths.h"

#include <algorithm>

#include "runtime/base/log.h"
#include "runtime/choice/budget.h"
#include "runtime/choice/depth.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/filter_hot.h"
#include "runtime/choice/hot_costs.h"
#include "runtime/choice/hot_paths_hot.h"
#include "runtime/choice/sampled_paths.h"
#include "runtime/choice/unfiltered.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/options.h"

namespace epik::choice {

using event::SampledPath;

namespace {

constexpr uint64_t kNever = ~uint64_t{0};
// A visit that takes this many times the limit of hot visits was interrupted, or did some other work.
constexpr uint64_t kLong = 100;
HotLimits limits;
SampledPath* PathAt(uint32_t line) { return base::LineAt<SampledPath>(line); }

// Decides about a path that has been visited often enough.
EPIK_COLD void Consider(Location* location, uint32_t child, HotSlot* slot) {
  event::Node* node = NodeAt(child);
  if (!CanBeSampled(node->key)) {
    slot->look_from = kNever;
    return;
  }
  const uint64_t now = base::Now();
  if (limits.budget > 0) SpendLess(location, now, node->key);
  if (slot->skip != 0) return;
  const bool often = limits.action != HotAction::kFull && node->visits >= limits.calls;
  if (often && node->ticks < limits.percall_ticks * node->visits) {
    const bool drops = limits.action == HotAction::kDrop && event::IsFunction(node->key) && !CallsItself(child);
    if (drops ? DropPath(location, child, now) : SamplePath(location, child, now)) return;
  }
  const uint64_t later = node->visits + std::max(node->visits / 4, uint64_t{1000});
  slot->look_from = limits.action != HotAction::kFull && node->visits < limits.calls ? limits.calls : later;
  if (limits.budget > 0) slot->look_from = std::min(slot->look_from, node->visits + 1000);
}

// After the end of a visit that was timed, of a path that is sampled.
void TakeSample(Location* location, HotSlot* slot, uint32_t child, uint64_t ticks) {
  SampledPath* path = PathAt(slot->line);
  const uint64_t last_ticks = slot->last_ticks;
  slot->last_ticks = ticks;
  AddSample(path, slot->interval, ticks, last_ticks, kLong * limits.percall_ticks);
  constexpr uint32_t kSometimes = 16;
  if (path->timed % kSometimes == 0) {
    slot->interval = BestInterval(*path, slot->interval, static_cast<double>(NodeAt(child)->ticks));
    if (limits.budget > 0) SpendLess(location, location->last, 0);
    if (slot->skip == kDropped) return;
  }
  const Block block = NextBlockOf(path, slot->rest, slot->interval);
  slot->rest = block.rest;
  slot->skip = block.skip;
}

// Ends a visit that is timed, of a path that is sampled or, since the visit began, dropped.
__attribute__((noinline)) void ExitSampled(Location* location, const Frame* frame, uint64_t left) {
  const uint32_t child = frame->node;
  const uint64_t entered = frame->entered;
  const uint32_t top = location->top;
  HotSlot* slot = &hooks.hot_slots[child];
  episode::Pop(location, frame, left);
  if (slot->skip != kDropped && location->top < top) TakeSample(location, slot, child, location->last - entered);
}

// Frames of functions that have returned without an exit stand above the one that is meant. If the exit is that of a
// call that was dropped, the frame it was called from; else 0.
uint32_t CallerOfDropped(const Location* location, Key key, uint64_t stack) {
  uint32_t i = location->top;
  while (i > location->bottom && FrameAt(i)->stack < stack) --i;
  if (i == location->bottom || FrameAt(i)->key == key) return 0;
  const uint32_t child = epitome::KnownChild(NodeAt(FrameAt(i)->node), key);
  return child != 0 && hooks.hot_slots[child].skip == kDropped ? i : 0;
}

// Handles an exit that is not the innermost frame's. It is a function of its own, so that the usual way saves none of
// the registers that it needs.
__attribute__((noinline)) void ExitOther(Location* location, Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(IsFiltered(key))) {
    if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/false);
    return;
  }
  const uint32_t caller = CallerOfDropped(location, key, stack);
  if (caller == 0) return ExitUnfiltered(key, stack);
  if (EPIK_LIKELY(caller == location->top)) return;
  location->repairs += location->top - caller;
  episode::CloseFrames(location, caller + 1, base::Now());
}

// A frame can be pushed at once.
EPIK_HOT bool IsUsual(const Location* location) {
  return episode::HasRoomForFrame(location) && base::clock_is_tsc && hooks.depth_limit == 0;
}

// A call that is not timed cannot be in a trace, nor can it read counters.
HotLimits LimitsOf(const config::Settings& settings) {
  HotLimits wanted;
  if (settings.hot == config::Hot::kSample) wanted.action = HotAction::kSample;
  if (settings.hot == config::Hot::kDrop || (settings.throttle && !settings.IsSet(config::Key::hot))) {
    wanted.action = HotAction::kDrop;
  }
  wanted.calls = static_cast<uint64_t>(settings.throttle_calls);
  wanted.budget = settings.budget / 100;
  wanted.patch = settings.patch;
  const char* reason = nullptr;
  if (episode::LogsCalls(settings.trace)) reason = "EPK_TRACE asks for calls, and each needs its times";
  if (!settings.metrics.empty()) reason = "EPK_METRICS asks for counters, which are read at every call";
  if (reason == nullptr || (wanted.action == HotAction::kFull && wanted.budget <= 0)) return wanted;
  base::Say("EPK_HOT and EPK_BUDGET are not used: %s", reason);
  return HotLimits{};
}

void Start(const episode::Options& options) {
  HotLimits wanted = LimitsOf(options.settings);
  episode::ScaleClock();
  constexpr int64_t kMillisecond = 1'000'000;
  wanted.ticks_of_ns = static_cast<double>(episode::TicksOf(kMillisecond)) / kMillisecond;
  wanted.percall_ticks = episode::TicksOf(options.settings.throttle_percall);
  StartHotPaths(wanted);
  if (HasHotPaths()) SetHotCosts(CalibrateHot());
}

void Forget() {
  DropWay(kHotPathWay);
  CloseHotSlots();
}

}  // namespace

void StartHotPaths(const HotLimits& wanted) {
  limits = wanted;
  StartBudget(limits.budget, limits.ticks_of_ns, limits.patch);
  if (limits.action == HotAction::kFull && limits.budget <= 0) return;
  if (!OpenHotSlots()) return base::Say("EPK_HOT and EPK_BUDGET are not used: no memory for them");
  if (limits.patch) AllowPatching();
  episode::SeeEachEvent();
  AddWay(kHotPathWay);
}

const episode::Part hot_paths_part = {.name = "hot paths", .start = Start, .forget = Forget};

void EnterOtherHot(Location* location, Key key, uint64_t stack) {
  event::Node* parent = NodeAt(location->node);
  const uint32_t child = epitome::FindChild(parent, key);
  if (EPIK_UNLIKELY(child == 0)) return EnterTimed(key, stack);
  epitome::SetLast(parent, child, key);
  __builtin_prefetch(NodeAt(child), 1);
  EnterChildHot(location, child, key, stack);
}

void EnterTimedAtOnce(Location* location, uint32_t child, Key key, uint64_t stack) {
  const HotSlot* slot = &hooks.hot_slots[child];
  const uint32_t skip = slot->skip;
  const bool not_yet_hot = skip == 0 && NodeAt(child)->visits < slot->look_from;
  const bool is_timed = skip == 1 || not_yet_hot;
  if (EPIK_UNLIKELY(!is_timed || !IsUsual(location))) return EnterTimed(key, stack);
  episode::Push(location, child, key, stack, base::ReadTsc);
}

void ExitTimedAtOnce(Location* location, const Frame* frame, Key key, uint64_t stack) {
  const bool is_timed = frame->key == key && (frame->entered & event::kUntimed) == 0 && base::clock_is_tsc;
  if (EPIK_UNLIKELY(!is_timed || hooks.depth_limit != 0)) return ExitTimed(key, stack);
  const uint64_t left = base::ReadTsc();  // first, so that our own work is not the region's
  if (hooks.hot_slots[frame->node].line != 0) return ExitSampled(location, frame, left);
  episode::Pop(location, frame, left);
}

void EnterTimed(Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(IsFiltered(key))) {
    if (MayPatch()) PatchFiltered(key, stack, /*is_enter=*/true);
    return;
  }
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return EnterUnfiltered(key, stack);
  const uint32_t child = episode::CurrentChild(location, key);
  if (EPIK_UNLIKELY(child == 0)) return EnterUnfiltered(key, stack);
  HotSlot* slot = &hooks.hot_slots[child];
  const uint32_t skip = slot->skip;
  if (skip == 0) {
    const bool early = NodeAt(child)->visits < slot->look_from;
    if (EPIK_LIKELY(early && IsUsual(location))) return episode::Push(location, child, key, stack, base::ReadTsc);
    if (!early) Consider(location, child, slot);
    return EnterUnfiltered(key, stack);
  }
  if (skip == kDropped) {
    ++PathAt(slot->line)->covered;
    return;
  }
  if (skip == 1 || EPIK_UNLIKELY(!episode::HasRoomForFrame(location))) return EnterUnfiltered(key, stack);
  slot->skip = skip - 1;
  episode::PushUntimed(location, child, key, stack);
}

void ExitTimed(Key key, uint64_t stack) {
  Location* location = episode::current;
  if (EPIK_UNLIKELY(location == nullptr)) return ExitUnfiltered(key, stack);
  const Frame* frame = FrameAt(location->top);
  if (EPIK_UNLIKELY(frame->key != key)) return ExitOther(location, key, stack);
  if (hooks.depth_limit != 0 && WasTooDeep(location, key, stack)) return;
  const bool untimed = (frame->entered & event::kUntimed) != 0;
  if (EPIK_UNLIKELY(untimed)) return episode::CloseUntimed(location, frame, base::Now());
  if (EPIK_LIKELY(hooks.hot_slots[frame->node].line == 0)) return ExitUnfiltered(key, stack);
  ExitSampled(location, frame, base::Now());
}

}  // namespace epik::choice
