// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fibers/stack_table.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/own_heap.h"

namespace epik::fibers {

namespace {

// A fiber that begins anew on the same stack may begin this much further out.
constexpr uint64_t kFurtherOut = 1024;

template <class T>
bool Double(T** memory, uint32_t used, uint32_t* room, uint32_t wanted) {
  uint32_t larger = std::max(*room, 8u);
  while (larger < wanted) larger *= 2;
  auto* made = static_cast<T*>(base::TakeOwn(larger * sizeof(T)));
  if (made == nullptr) return false;
  if (used != 0) std::memcpy(static_cast<void*>(made), *memory, used * sizeof(T));
  base::GiveOwn(*memory);
  *memory = made;
  *room = larger;
  return true;
}

}  // namespace

bool Stack::Reserve(uint32_t frames) { return frames <= room || Double(&kept, count, &room, frames); }

uint32_t StackTable::FirstNotBelow(uint64_t address) const {
  const Entry* found = std::lower_bound(entries_, entries_ + count_, address,
                                        [](const Entry& entry, uint64_t at) { return entry.high < at; });
  return static_cast<uint32_t>(found - entries_);
}

Stack* StackTable::Find(uint64_t address, const Stack* active, uint64_t innermost) {
  const uint32_t at = FirstNotBelow(address);
  if (at < count_) {
    // Stacks grow down and entries are sorted by their outermost address: no entry further up can be nearer.
    Stack* above = entries_[at].stack;
    if (above->known.IsKnown() && above->known.Has(address)) return above;
    uint64_t inner = above->count != 0 ? above->kept[above->count - 1].stack : above->high;
    // The calls of the active stack are not kept in the table.
    if (above == active) inner = innermost;
    if (!above->known.IsKnown() && (address >= inner || inner - address < kNear)) return above;
  }
  if (at == 0) return nullptr;
  Stack* below = entries_[at - 1].stack;
  if (below->known.IsKnown()) return below->known.Has(address) ? below : nullptr;
  if (address - below->high >= kFurtherOut) return nullptr;
  // The entries stay in order, because the one above is not below this address.
  below->high = entries_[at - 1].high = address;
  return below;
}

bool StackTable::Grow() { return count_ < kMostStacks && Double(&entries_, count_, &room_, count_ + 1); }

Stack* StackTable::Add(uint64_t address, Range known) {
  const uint64_t high = known.IsKnown() ? known.end - 1 : address;
  const uint32_t at = FirstNotBelow(high);
  if (count_ == room_ && !Grow()) return nullptr;
  auto* stack = static_cast<Stack*>(base::TakeOwn(sizeof(Stack)));
  if (stack == nullptr) return nullptr;
  *stack = {0, high, known, nullptr, 0, 0};
  // Only entries move. Callers keep pointers to stacks.
  std::memmove(static_cast<void*>(entries_ + at + 1), entries_ + at, (count_ - at) * sizeof(Entry));
  entries_[at] = {high, stack};
  ++count_;
  return stack;
}

Stack* StackTable::Overlapping(Range range) const {
  const uint32_t at = FirstNotBelow(range.begin);
  if (at == count_) return nullptr;
  const Stack* stack = entries_[at].stack;
  const uint64_t low = stack->known.IsKnown() ? stack->known.begin : stack->high;
  return low < range.end ? entries_[at].stack : nullptr;
}

Stack* StackTable::Victim(const Stack* active) {
  for (uint32_t i = 0; i < count_; ++i) {
    // The hand goes round: it comes to a stack again after all others.
    hand_ = (hand_ + 1) % count_;
    if (entries_[hand_].stack != active) return entries_[hand_].stack;
  }
  return nullptr;
}

void StackTable::Remove(Stack* stack) {
  uint32_t at = FirstNotBelow(stack->high);
  while (at < count_ && entries_[at].stack != stack) ++at;
  if (at == count_) return;
  base::GiveOwn(stack->kept);
  base::GiveOwn(stack);
  std::memmove(static_cast<void*>(entries_ + at), entries_ + at + 1, (count_ - at - 1) * sizeof(Entry));
  --count_;
}

void StackTable::Clear() {
  for (uint32_t i = 0; i < count_; ++i) {
    base::GiveOwn(entries_[i].stack->kept);
    base::GiveOwn(entries_[i].stack);
  }
  base::GiveOwn(entries_);
  *this = StackTable{};
}

}  // namespace epik::fibers
