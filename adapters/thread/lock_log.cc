// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/lock_log.h"

#include "adapters/thread/thread_records.h"
#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
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

void LogLockGot(const volatile void* lock) {
  Location* location = WhoLogs();
  if (location == nullptr) return;
  const uint64_t number = NumberOf(location, lock);
  if (number == 0) return;
  base::SettleClock();  // not before whoever had it gave it back
  Log(location, base::Now(), RecordKind::kLockGot, &number);
}

}  // namespace epik::thread
