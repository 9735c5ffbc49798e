// SPDX-License-Identifier: BSD-3-Clause
// The locks that a thread holds and whose acquisition it has logged, so that their release is logged, too. Those that
// it took without a record are not here. All data belongs to the calling thread.
#ifndef EPIK_RUNTIME_EPILOG_HELD_LOCKS_H_
#define EPIK_RUNTIME_EPILOG_HELD_LOCKS_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::epilog {

struct HeldLock {
  uint64_t address;
  uint64_t order;  // among the logged acquisitions of this lock
  uint32_t number;
  uint32_t depth;  // how often its holder has set it
};

// The number of these locks. A release of any lock reads it first.
extern EPIK_HIDDEN __thread uint32_t held_locks __attribute__((tls_model("initial-exec")));

// The lock with this address; null: it is not one of them.
EPIK_COLD HeldLock* FindHeld(uint64_t address);
// The thread has just got the lock, or got it once more after a release without a record. Null: there is no room, and
// the record is lost. `location`: the thread's.
EPIK_COLD HeldLock* Hold(event::Location* location, uint64_t address);
// The thread gives the lock back.
EPIK_COLD void Drop(HeldLock* held);
// Called when the thread has no location any more, or is the thread of a forked child. The next thread with the
// location gets the memory.
void ForgetHeld();

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_HELD_LOCKS_H_
