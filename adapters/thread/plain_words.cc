// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/plain_words.h"

#include <cstring>

#include "adapters/thread/plain_mutex.h"
#include "adapters/thread/waits.h"

namespace epik::thread {

bool spin_lock_is_known = false, semaphore_is_known = false;

#if defined(__GLIBC__) && defined(__x86_64__)
namespace {

template <class Function>
Function* NextOf(const char* name) {
  auto* next = reinterpret_cast<Function*>(FindNext(name, nullptr));
  return IsInLibc(reinterpret_cast<const void*>(next)) ? next : nullptr;
}

// They are given up: valgrind's drd ends a program that begins another object at their place.
struct SpinLock {
  SpinLock() { pthread_spin_init(&word, PTHREAD_PROCESS_PRIVATE); }
  ~SpinLock() { pthread_spin_destroy(&word); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;
  pthread_spinlock_t word;
};
struct Semaphore {
  Semaphore() { sem_init(&words, 0, 2); }
  ~Semaphore() { sem_destroy(&words); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  sem_t words{};
};

// These compare a lock that libc handles with one that the functions above handle.
bool SpinsLikeLibc() {
  auto* const lock = NextOf<int(pthread_spinlock_t*)>("pthread_spin_lock");
  auto* const unlock = NextOf<int(pthread_spinlock_t*)>("pthread_spin_unlock");
  if (lock == nullptr || unlock == nullptr) return false;
  SpinLock libcs, copys;
  pthread_spinlock_t &theirs = libcs.word, &ours = copys.word;
  if (lock(&theirs) != 0 || !TakeWord(&ours)) return false;
  const bool alike = theirs == ours && !TakeWord(&ours) && !TakeWord(&theirs);
  return unlock(&theirs) == 0 && GiveWord(&ours) && alike && theirs == ours && TakeWord(&ours);
}

bool IsSame(const sem_t& a, const sem_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool CountsLikeLibc() {
  auto* const wait = NextOf<int(sem_t*)>("sem_wait");
  auto* const post = NextOf<int(sem_t*)>("sem_post");
  if (wait == nullptr || post == nullptr) return false;
  Semaphore libcs, copys;
  sem_t &theirs = libcs.words, &ours = copys.words;
  for (int times = 0; times < 2; ++times) {
    if (wait(&theirs) != 0 || !TakeWord(&ours) || !IsSame(theirs, ours)) return false;
  }
  return !TakeWord(&ours) && !TakeWord(&theirs) && post(&theirs) == 0 && post(&ours) == 0 && IsSame(theirs, ours) &&
         TakeWord(&ours);
}

__attribute__((constructor)) void KnowWords() {
  spin_lock_is_known = semaphore_is_known = true;
  const bool spins = SpinsLikeLibc(), counts = CountsLikeLibc();
  spin_lock_is_known = spins;
  semaphore_is_known = counts;
}

}  // namespace
#endif

}  // namespace epik::thread
