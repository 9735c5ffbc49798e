// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/meeting_log.h"

#include "adapters/thread/thread_records.h"
#include "runtime/base/clock.h"
#include "runtime/epilog/locks.h"

namespace epik::thread {

using event::Location;
using event::RecordKind;

void LogJoinWanted(uint64_t number) {
  Location* location = WhoLogs();
  if (location != nullptr) Log(location, base::Now(), RecordKind::kJoinWanted, &number);
}

void LogJoinGot(uint64_t number) {
  Location* location = WhoLogs();
  if (location == nullptr) return;
  base::SettleClock();  // not before the thread ended
  Log(location, base::Now(), RecordKind::kJoinGot, &number);
}

// The waiter is counted before it waits, so that any thread that can wake it sees it.
uint32_t LogSignalWanted(const volatile void* object, const volatile void* mutex) {
  Location* location = WhoLogs();
  if (location == nullptr) return 0;
  const uint32_t number = NumberOf(location, object);
  if (number == 0) return 0;
  const uint64_t fields[] = {number, mutex != nullptr ? NumberOf(location, mutex) : 0};
  if (mutex != nullptr && fields[1] == 0) return 0;
  Log(location, base::Now(), RecordKind::kSignalWanted, fields);
  epilog::AddWaiter(number, 1);
  return number;
}

uint32_t LogWordWanted(const volatile void* word) {
  constexpr uint32_t kMostWords = 2048;
  static uint32_t words = 0;
  Location* location = WhoLogs();
  if (location == nullptr) return 0;
  if (epilog::FindLock(reinterpret_cast<uint64_t>(word)) == 0 &&
      __atomic_fetch_add(&words, 1, __ATOMIC_RELAXED) >= kMostWords) {
    __atomic_fetch_sub(&words, 1, __ATOMIC_RELAXED);
    ++location->unlogged;
    return 0;
  }
  return LogSignalWanted(word, nullptr);
}

void LogSignalGot(uint32_t number, bool woken, const volatile void* mutex) {
  epilog::AddWaiter(number, -1);
  Location* location = WhoLogs();
  if (location == nullptr) return;
  base::SettleClock();  // not before the signal
  const uint64_t now = base::Now();
  const uint64_t fields[] = {number, uint64_t{woken}};
  Log(location, now, RecordKind::kSignalGot, fields);
  if (mutex != nullptr) LogLockTaken(location, now, mutex);
}

void LogSignal(const volatile void* object, bool all) {
  const uint32_t number = epilog::FindLock(reinterpret_cast<uint64_t>(object));
  if (number == 0 || !epilog::HasWaiters(number)) return;
  Location* location = WhoLogs();
  if (location == nullptr) return;
  const uint64_t fields[] = {number, uint64_t{all}};
  Log(location, base::Now(), RecordKind::kSignal, fields);
}

void LogBarrier(const volatile void* barrier) {
  Location* location = WhoLogs();
  if (location == nullptr) return;
  const uint32_t number = NumberOf(location, barrier);
  if (number == 0) return;
  const uint64_t fields[] = {number, epilog::ThreadsOf(number)};
  Log(location, base::Now(), RecordKind::kThreadBarrier, fields);
}

}  // namespace epik::thread
