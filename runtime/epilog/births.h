// SPDX-License-Identifier: BSD-3-Clause
// Numbers of libc's threads in the trace: they tell which thread created another and when, when it began and ended, and
// which thread joins it.
#ifndef EPIK_RUNTIME_EPILOG_BIRTHS_H_
#define EPIK_RUNTIME_EPILOG_BIRTHS_H_

#include <pthread.h>

#include <cstdint>

#include "runtime/episode/part.h"

namespace epik::epilog {

// The calling thread is about to create another one, which gets this number. 0: this process logs no records.
uint64_t NewBirth();

// The calling thread has just begun. It logs its begin when it is measured for the first time.
void BeginBirth(uint64_t birth);

// Finds the number of a thread that another one joins. Only the thread itself says which handle it has, so it may not
// be known before the thread has ended; a later thread may have the same handle as soon as that one is joined.
class Joined {
 public:
  // Before the wait.
  explicit Joined(pthread_t thread);
  // As far as it is known yet. 0: not at all.
  uint64_t number() const { return number_; }
  // After the wait, when the thread has ended.
  uint64_t NumberAtEnd();

 private:
  pthread_t thread_;
  uint64_t number_, latest_;  // `latest_`: of all threads that were created before
};

extern const episode::Part births_part;

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_BIRTHS_H_
