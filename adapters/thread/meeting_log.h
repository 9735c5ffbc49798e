// SPDX-License-Identifier: BSD-3-Clause
// Records of a thread that waits for the end of another thread, for a condition or a semaphore, or in a barrier; and of
// threads that signal.
#ifndef EPIK_ADAPTERS_THREAD_MEETING_LOG_H_
#define EPIK_ADAPTERS_THREAD_MEETING_LOG_H_

#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "adapters/thread/lock_log.h"
#include "runtime/base/compiler.h"
#include "runtime/epilog/births.h"
#include "runtime/epilog/held_locks.h"

namespace epik::thread {

EPIK_COLD void LogJoinWanted(uint64_t number);
EPIK_COLD void LogJoinGot(uint64_t number);

class JoinLog {
 public:
  explicit JoinLog(pthread_t thread) : joined_(thread) {}
  void Begin() const { LogJoinWanted(joined_.number()); }
  void End(int error) {
    if (error == 0) LogJoinGot(joined_.NumberAtEnd());
  }

 private:
  epilog::Joined joined_;
};

// A semaphore has no mutex. Returns the object's number; 0: it is not logged.
EPIK_COLD uint32_t LogSignalWanted(const volatile void* object, const volatile void* mutex);
// `mutex`: the mutex that the thread has now; null: none.
EPIK_COLD void LogSignalGot(uint32_t number, bool woken, const volatile void* mutex);

// A wait for a condition that ended in this way, of POSIX or C11, has taken the mutex again.
inline bool HasMutexAfter(int error) {
  return error == 0 || error == EOWNERDEAD || error == ETIMEDOUT || error == thrd_timedout;
}

class SignalLog {
 public:
  explicit SignalLog(const volatile void* object, const volatile void* mutex = nullptr)
      : object_(object), mutex_(mutex) {}
  void Begin() {
    number_ = LogSignalWanted(object_, mutex_);
    if (mutex_ != nullptr && epilog::held_locks != 0) LogMutexReleased(mutex_);
  }
  void End(int error) const {
    if (number_ == 0) return;
    LogSignalGot(number_, error == 0 || error == EOWNERDEAD, HasMutexAfter(error) ? mutex_ : nullptr);
  }

 private:
  const volatile void *object_, *mutex_;
  uint32_t number_ = 0;
};

// The same for a word in memory that another thread is to change (a futex). Programs may have any number of words. Only
// the first ones get numbers, so that numbers are left for locks. Null: nothing is logged.
EPIK_COLD uint32_t LogWordWanted(const volatile void* word);

class WordLog {
 public:
  explicit WordLog(const volatile void* word) : word_(word) {}
  void Begin() { number_ = word_ != nullptr ? LogWordWanted(word_) : 0; }
  void End(long result) const {
    if (number_ != 0) LogSignalGot(number_, result == 0, nullptr);
  }

 private:
  const volatile void* word_;
  uint32_t number_ = 0;
};

// The calling thread is about to signal, to post, or to wake threads that wait for a word. REQUIRES: some thread waits
// for some object.
EPIK_COLD void LogSignal(const volatile void* object, bool all);

EPIK_COLD void LogBarrier(const volatile void* barrier);

class BarrierLog {
 public:
  explicit BarrierLog(const pthread_barrier_t* barrier) : barrier_(barrier) {}
  void Begin() const { LogBarrier(barrier_); }
  static void End(int /*result*/) {}

 private:
  const pthread_barrier_t* barrier_;
};

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_MEETING_LOG_H_
