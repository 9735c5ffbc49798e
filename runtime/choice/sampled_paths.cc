// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/sampled_paths.h"

#include <sys/mman.h>

#include <algorithm>

#include "runtime/choice/hot_paths_hot.h"

namespace epik::choice {

using event::SampledPath;

namespace {

constexpr Key kSampledKey = event::RegionKey(event::kSampledMetric);
constexpr Key kDroppedKey = event::RegionKey(event::kDroppedMetric);

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

// Makes the node's child with this key. It is no call path. Null: there is no room.
SampledPath* MakePath(Location* location, uint32_t node, Key key, uint64_t now) {
  uint32_t line = epitome::KnownChild(NodeAt(node), key);
  if (line == 0) line = episode::MakeChild(location, node, key);
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

}  // namespace

bool OpenHotSlots() {
  void* table = mmap(nullptr, TableBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return false;
  seed = Mix(base::Now());
  __atomic_store_n(&hooks.hot_slots, static_cast<HotSlot*>(table), __ATOMIC_RELEASE);
  return true;
}

void CloseHotSlots() {
  if (hooks.hot_slots != nullptr) munmap(hooks.hot_slots, TableBytes());
  hooks.hot_slots = nullptr;
}

bool CallsItself(uint32_t node) {
  const uint32_t parent = NodeAt(node)->parent;
  return parent != 0 && NodeAt(parent)->key == NodeAt(node)->key;
}

bool SamplePath(Location* location, uint32_t node, uint64_t now) {
  SampledPath* path = MakePath(location, node, kSampledKey, now);
  if (path == nullptr) return false;
  HotSlot* slot = &hooks.hot_slots[node];
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
  HotSlot* slot = &hooks.hot_slots[node];
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

Block NextBlockOf(const SampledPath* path, uint32_t rest, uint32_t interval) {
  return NextBlock(rest, interval, Random(path));
}

void NoteTimed(uint32_t node) {
  if (!HasHotPaths()) return;
  const HotSlot& slot = hooks.hot_slots[node];
  if (slot.line != 0 && slot.skip != kDropped) ++PathAt(slot.line)->timed;
}

}  // namespace epik::choice
