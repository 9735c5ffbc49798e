// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/held_locks.h"

#include <algorithm>

#include "runtime/base/thread_memory.h"
#include "runtime/epilog/locks.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/room.h"

namespace epik::epilog {

namespace {

constexpr uint32_t kMostHeld = 32;
static_assert(kMostHeld * sizeof(HeldLock) <= static_cast<uint32_t>(episode::Room::kLedTeams));
EPIK_PER_THREAD base::PerThread<HeldLock*> held;

}  // namespace

__thread uint32_t held_locks = 0;

HeldLock* FindHeld(uint64_t address) {
  HeldLock* const end = *held + held_locks;
  HeldLock* found = std::find_if(*held, end, [address](const HeldLock& h) { return h.address == address; });
  return found == end ? nullptr : found;
}

HeldLock* Hold(event::Location* location, uint64_t address) {
  HeldLock* mine = FindHeld(address);
  const uint32_t number = NumberOfLock(address);
  if (*held == nullptr) {
    *held =
        static_cast<HeldLock*>(episode::TakeRoom(location, episode::Room::kHeldLocks, kMostHeld * sizeof(HeldLock)));
  }
  if (number == 0 || *held == nullptr || (mine == nullptr && held_locks == kMostHeld)) {
    ++location->unlogged;
    return nullptr;
  }
  if (mine == nullptr) mine = &(*held)[held_locks++];
  *mine = {address, NextOrderOf(number), number, 1};
  return mine;
}

void Drop(HeldLock* lock) { *lock = (*held)[--held_locks]; }

void ForgetHeld() {
  held_locks = 0;
  *held = nullptr;
}

}  // namespace epik::epilog
