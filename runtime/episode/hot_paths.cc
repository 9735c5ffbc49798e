// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/hot_paths.h"

#include <sys/mman.h>

#include <algorithm>

#include "runtime/base/log.h"
#include "runtime/episode/budget.h"
#include "runtime/episode/depth.h"
#include "runtime/episode/filter.h"
#include "runtime/episode/hot_paths_hot.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/switches_hot.h"

namespace epik::episode {

using event::SampledPath;

HotSlot* hot_slots = nullptr;

namespace {

constexpr uint64_t kNever = ~uint64_t{0};
// A visit of so many times the time of what is hot was interrupted, or did something else altogether.
constexpr uint64_t kLong = 100;
constexpr Key kSampledKey = event::RegionKey(event::kSampledMetric);
constexpr Key kDroppedKey = event::RegionKey(event::kDroppedMetric);

HotLimits limits;
uint64_t seed = 0;

size_t TableBytes() { return event::Process()->arena.bytes / base::kLineBytes * sizeof(HotSlot); }

SampledPath* PathAt(uint32_t line) { return base::LineAt<SampledPath>(line); }

// splitmix64
uint64_t Mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

uint64_t Random(const SampledPath* path) { return Mix(seed ^ uint64_t{base::LineOf(path)} << 32 ^ path->timed); }

// Completed visits, those that are not in the node yet, too.
uint64_t VisitsOf(const Location* location, uint32_t node) {
  uint64_t visits = NodeAt(node)->visits;
  for (const event::PendingVisit& pending : location->pending) visits += pending.node == node;
  return visits;
}

// The node's child with this key, which is no call path. Null: there is no room.
SampledPath* MakePath(Location* location, uint32_t node, Key key, uint64_t now) {
  uint32_t line = epitome::KnownChild(NodeAt(node), key);
  if (line == 0) line = MakeChild(location, node, key);
  if (line == 0 || line == location->sink) return nullptr;
  SampledPath* path = PathAt(line);
  path->visits_before = VisitsOf(location, node);
  path->covered = 0;
  path->covered_ticks = 0;
  path->variance = 0;
  path->timed = 0;
  path->long_timed = 0;
  path->long_ticks = 0;
  path->since = now;
  return path;
}

// A path has been visited often enough to be looked at.
EPIK_COLD void Consider(Location* location, uint32_t child, HotSlot* slot) {
  Node* node = NodeAt(child);
  if (!event::IsFunction(node->key)) {
    slot->look_from = kNever;
    return;
  }
  const uint64_t now = base::Now();
  if (limits.budget > 0) SpendLess(location, now, node->key);
  if (slot->skip != 0) return;
  const bool often = limits.action != HotAction::kFull && node->visits >= limits.calls;
  if (often && node->ticks < limits.percall_ticks * node->visits) {
    const bool drops = limits.action == HotAction::kDrop && !CallsItself(child);
    if (drops ? DropPath(location, child, now) : SamplePath(location, child, now)) return;
  }
  const uint64_t later = node->visits + std::max(node->visits / 4, uint64_t{1000});
  slot->look_from = limits.action != HotAction::kFull && node->visits < limits.calls ? limits.calls : later;
  if (limits.budget > 0) slot->look_from = std::min(slot->look_from, node->visits + 1000);
}

// After the end of a visit that was timed, of a path that is sampled.
EPIK_COLD void TakeSample(Location* location, HotSlot* slot, uint32_t child, uint64_t ticks) {
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
  const Block block = NextBlock(slot->rest, slot->interval, Random(path));
  slot->rest = block.rest;
  slot->skip = block.skip;
}

// Frames of functions that have returned without an exit stand above the one that is meant. If the exit is that of a
// call that was dropped, the frame it was called from; else 0.
uint32_t CallerOfDropped(const Location* location, Key key, uint64_t stack) {
  uint32_t i = location->top;
  while (i > location->bottom && FrameAt(i)->stack < stack) --i;
  if (i == location->bottom || FrameAt(i)->key == key) return 0;
  const uint32_t child = epitome::KnownChild(NodeAt(FrameAt(i)->node), key);
  return child != 0 && hot_slots[child].skip == kDropped ? i : 0;
}

// Not that of the innermost frame.
void ExitOther(Location* location, Key key, uint64_t stack) {
  const FilterTable* table = Filter();
  if (EPIK_UNLIKELY(IsFiltered(table, key))) {
    if (MayPatch(table)) PatchFiltered(key, stack, /*is_enter=*/false);
    return;
  }
  const uint32_t caller = CallerOfDropped(location, key, stack);
  if (caller == 0) return ExitUnfiltered(key, stack);
  if (EPIK_LIKELY(caller == location->top)) return;
  location->repairs += location->top - caller;
  CloseFrames(location, caller + 1, base::Now());
}

}  // namespace

void StartHotPaths(const HotLimits& wanted) {
  limits = wanted;
  StartBudget(limits.budget, limits.ticks_of_ns, limits.patch);
  if (limits.action == HotAction::kFull && limits.budget <= 0) return;
  if (!EnsureFilterTable(limits.patch)) return base::Say("EPK_HOT and EPK_BUDGET are not used: no memory for them");
  void* table = mmap(nullptr, TableBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return base::Say("EPK_HOT and EPK_BUDGET are not used: no memory for them");
  seed = Mix(base::Now());
  __atomic_store_n(&hot_slots, static_cast<HotSlot*>(table), __ATOMIC_RELEASE);
  AddWay(kHotPathWay);
}

void ForgetHotPaths() {
  DropWay(kHotPathWay);
  if (hot_slots != nullptr) munmap(hot_slots, TableBytes());
  hot_slots = nullptr;
}

bool CallsItself(uint32_t node) {
  const uint32_t parent = NodeAt(node)->parent;
  return parent != 0 && NodeAt(parent)->key == NodeAt(node)->key;
}

bool SamplePath(Location* location, uint32_t node, uint64_t now) {
  SampledPath* path = MakePath(location, node, kSampledKey, now);
  if (path == nullptr) return false;
  HotSlot* slot = &hot_slots[node];
  slot->interval = kFirstInterval;
  const Block block = NextBlock(0, slot->interval, Random(path));
  slot->rest = block.rest;
  slot->line = base::LineOf(path);
  slot->skip = block.skip;
  return true;
}

bool DropPath(Location* location, uint32_t node, uint64_t now) {
  SampledPath* path = MakePath(location, node, kDroppedKey, now);
  if (path == nullptr) return false;
  HotSlot* slot = &hot_slots[node];
  slot->line = base::LineOf(path);
  slot->skip = kDropped;
  return true;
}

Block NextBlock(uint32_t rest, uint32_t interval, uint64_t random) {
  const auto before = static_cast<uint32_t>((random >> 32) * interval >> 32);
  return {rest + before + 1, interval - 1 - before};
}

void AddSample(SampledPath* path, uint32_t interval, uint64_t ticks, uint64_t last_ticks, uint64_t longest) {
  const uint64_t others = interval - 1;
  ++path->timed;
  if (ticks > longest) {
    ++path->long_timed;
    path->long_ticks += static_cast<float>(ticks * others);
    return;
  }
  path->covered_ticks += ticks * others;
  path->covered += others;
  if (path->timed == 1 || last_ticks > longest) return;
  // Blocks that follow each other are alike, whatever phases the program has.
  const auto change = static_cast<double>(static_cast<int64_t>(ticks - last_ticks)) * static_cast<double>(others);
  path->variance += 0.5 * change * change;
}

uint32_t BestInterval(const SampledPath& path, uint32_t interval, double exact_ticks) {
  constexpr double kGoodEnough = 0.0015, kTooRough = 0.004;  // standard error, relative
  const double total = exact_ticks + static_cast<double>(path.covered_ticks);
  if (path.variance > kTooRough * kTooRough * total * total) return std::max(interval / 2, kShortestInterval);
  if (path.variance < kGoodEnough * kGoodEnough * total * total) return std::min(interval * 2, kLongestInterval);
  return interval;
}

void NoteTimed(uint32_t node) {
  const HotSlot& slot = hot_slots[node];
  if (slot.line != 0 && slot.skip != kDropped) ++PathAt(slot.line)->timed;
}

void EnterTimed(Key key, uint64_t stack) {
  const FilterTable* table = Filter();
  if (EPIK_UNLIKELY(IsFiltered(table, key))) {
    if (MayPatch(table)) PatchFiltered(key, stack, /*is_enter=*/true);
    return;
  }
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return EnterUnfiltered(key, stack);
  const uint32_t child = KnownChild(location, key);
  if (EPIK_UNLIKELY(child == 0)) return EnterUnfiltered(key, stack);
  HotSlot* slot = &hot_slots[child];
  const uint32_t skip = slot->skip;
  if (skip == 0) {
    if (EPIK_UNLIKELY(NodeAt(child)->visits >= slot->look_from)) Consider(location, child, slot);
    return EnterUnfiltered(key, stack);
  }
  if (skip == kDropped) {
    ++PathAt(slot->line)->covered;
    return;
  }
  if (skip == 1 || EPIK_UNLIKELY(!HasRoomForFrame(location))) return EnterUnfiltered(key, stack);
  slot->skip = skip - 1;
  PushUntimed(location, child, key, stack);
}

void ExitTimed(Key key, uint64_t stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return ExitUnfiltered(key, stack);
  const uint32_t top = location->top;
  const Frame* frame = FrameAt(top);
  if (EPIK_UNLIKELY(frame->key != key)) return ExitOther(location, key, stack);
  if (EPIK_UNLIKELY((frame->entered & event::kUntimed) != 0)) {
    if (depth_limit != 0 && WasTooDeep(location, key, stack)) return;
    return CloseUntimed(location, frame, base::Now());
  }
  const uint32_t child = frame->node;
  HotSlot* slot = &hot_slots[child];
  if (EPIK_LIKELY(slot->line == 0)) return ExitUnfiltered(key, stack);
  const uint64_t entered = frame->entered;
  ExitUnfiltered(key, stack);
  if (slot->skip != kDropped && location->top < top) TakeSample(location, slot, child, location->last - entered);
}

}  // namespace epik::episode
