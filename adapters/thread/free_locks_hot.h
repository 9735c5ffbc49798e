// SPDX-License-Identifier: BSD-3-Clause
// Locks of libc that are free. Each is counted below the call path that takes it (locks_free). It makes no visit, and
// has no time.
#ifndef EPIK_ADAPTERS_THREAD_FREE_LOCKS_HOT_H_
#define EPIK_ADAPTERS_THREAD_FREE_LOCKS_HOT_H_

#include "adapters/thread/waits.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace epik::thread {

// The latest free lock was taken in another call path, or the caller is not known yet.
__attribute__((noinline)) void CountInOther(event::Location* location, const void* caller);

EPIK_HOT void CountFree(event::Location* location, const void* caller) {
  // EPIK itself takes this lock, often through a library that reads debug information. EPIK may hold a lock of its own
  // now.
  if (EPIK_UNLIKELY(episode::inside)) return;
  const bool is_usual = location->locks_below == location->node && IsKnownProgram(caller);
  if (EPIK_UNLIKELY(!is_usual)) return CountInOther(location, caller);
  ++event::NodeAt(location->locks_free)->visits;
}

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_FREE_LOCKS_HOT_H_
