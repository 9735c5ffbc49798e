// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/path_numbers.h"

namespace epik::archive {

namespace {

constexpr size_t kFewestSlots = 64;

// In a fuller table, searches take long.
bool IsFull(size_t paths, size_t slots) { return 4 * paths > 3 * slots; }

uint64_t Mix(const CallPath& path) {
  uint64_t value = (uint64_t{path.parent} << 32 | path.region) * 0x9e3779b97f4a7c15u;
  value ^= value >> 32;
  return value * 0xff51afd7ed558ccdu >> 16;
}

}  // namespace

PathNumbers::PathNumbers(const std::vector<CallPath>& paths) {
  size_t slots = kFewestSlots;
  while (IsFull(paths.size(), slots)) slots *= 2;
  MakeSlots(slots, paths);
}

uint32_t PathNumbers::Of(const CallPath& path, std::vector<CallPath>* paths) {
  size_t slot = SlotOf(path, *paths);
  if (slots_[slot] != kNone) return slots_[slot];
  if (IsFull(paths->size() + 1, slots_.size())) {
    MakeSlots(2 * slots_.size(), *paths);
    slot = SlotOf(path, *paths);
  }
  slots_[slot] = static_cast<uint32_t>(paths->size());
  paths->push_back(path);
  return slots_[slot];
}

size_t PathNumbers::SlotOf(const CallPath& path, const std::vector<CallPath>& paths) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = Mix(path) & mask;
  while (slots_[slot] != kNone) {
    const CallPath& there = paths[slots_[slot]];
    if (there.parent == path.parent && there.region == path.region) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void PathNumbers::MakeSlots(size_t slots, const std::vector<CallPath>& paths) {
  slots_ = {};  // the old table makes room first
  slots_.resize(slots, kNone);
  for (uint32_t i = 0; i < paths.size(); ++i) slots_[SlotOf(paths[i], paths)] = i;
}

}  // namespace epik::archive
