// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/lock_log.h"

#include "adapters/thread/thread_records.h"
#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/epilog/held_locks.h"
#include "runtime/event/control.h"

namespace epik::thread {

namespace {

using event::Location;
using event::RecordKind;

// The location of a thread of the operating system; -1: it is not measured.
int64_t LocationOf(uint32_t thread) {
  int64_t found = -1;
  event::ForEachPlace({base::arena_base, event::Process()->arena.bytes}, [&](const Location* location) {
    const bool is_its = __atomic_load_n(&location->thread_id, __ATOMIC_RELAXED) == thread;
    if (is_its && location->state == event::LocationState::kRunning) found = location->number;
  });
  return found;
}

// The holder of a recursive mutex gives it back only with the last of its releases.
#ifdef __GLIBC__
bool StaysLocked(const volatile void* mutex) {
  return static_cast<const volatile pthread_mutex_t*>(mutex)->__data.__count > 1;
}
#else
bool StaysLocked(const volatile void* /*mutex*/) { return false; }
#endif

}  // namespace

// This function reads the clock first and the owner second. A thread that gets the lock later than that logs a record
// of its own.
void LogLockWanted(const volatile void* lock, Owner owner) {
  Location* location = WhoLogs();
  if (location == nullptr) return;
  const uint32_t number = NumberOf(location, lock);
  if (number == 0) return;
  const uint64_t now = base::Now();
  base::SettleClock();
  const int thread = owner != nullptr ? __atomic_load_n(owner, __ATOMIC_RELAXED) : 0;
  const int64_t holder = thread > 0 ? LocationOf(static_cast<uint32_t>(thread)) : -1;
  const uint64_t fields[] = {number, static_cast<uint64_t>(holder)};
  Log(location, now, RecordKind::kLockWanted, fields);
}

void LogLockGot(const volatile void* lock, bool has_release) {
  Location* location = WhoLogs();
  if (location == nullptr) return;
  const uint64_t number = NumberOf(location, lock);
  if (number == 0) return;
  base::SettleClock();  // not before the last holder gave the lock back
  const uint64_t now = base::Now();
  Log(location, now, RecordKind::kLockGot, &number);
  if (has_release) LogLockTaken(location, now, lock);
}

void LogLockTaken(Location* location, uint64_t now, const volatile void* lock) {
  const epilog::HeldLock* held = epilog::Hold(location, reinterpret_cast<uint64_t>(lock));
  if (held == nullptr) return;
  const uint64_t fields[] = {held->number, held->order};
  Log(location, now, RecordKind::kMutexTaken, fields);
}

void LogLockReleased(const volatile void* lock) {
  epilog::HeldLock* held = epilog::FindHeld(reinterpret_cast<uint64_t>(lock));
  if (held == nullptr) return;
  const uint64_t fields[] = {held->number, held->order};
  epilog::Drop(held);
  Location* location = WhoLogs();
  if (location != nullptr) Log(location, base::Now(), RecordKind::kMutexReleased, fields);
}

void LogMutexReleased(const volatile void* mutex) {
  if (!StaysLocked(mutex)) LogLockReleased(mutex);
}

}  // namespace epik::thread
