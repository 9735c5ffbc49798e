// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>

#include "adapters/thread/free_locks_hot.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"

namespace epik::thread {

namespace {

// Whether a filter or a group excludes the waiting in mutexes, and so all locks. Found at the first call.
bool LocksAreOut() {
  enum : uint8_t { kUnknown, kIn, kOut };
  static constinit uint8_t known = kUnknown;
  uint8_t now = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (EPIK_UNLIKELY(now == kUnknown)) {
    const episode::Inside guard;
    now = choice::RegionIsOut({0, "pthread_mutex_lock", "", event::Role::kFunction, kThreads}) ? kOut : kIn;
    __atomic_store_n(&known, now, __ATOMIC_RELAXED);
  }
  return now == kOut;
}

}  // namespace

void CountInOther(event::Location* location, const void* caller) {
  const uint32_t below = location->node;
  const int saved_errno = errno;
  if (!LocksAreOut() && !IsForParadigm(caller)) {
    const event::Key key = event::RegionKey(event::kLocksFreeMetric);
    uint32_t child = epitome::FindChild(event::NodeAt(below), key);
    if (child == 0) child = episode::MakeChild(location, below, key);
    if (event::NodeAt(child)->key == key) {  // otherwise there was no room for it
      location->locks_free = child;
      EPIK_ORDER();
      location->locks_below = below;
      ++event::NodeAt(child)->visits;
    }
  }
  errno = saved_errno;
}

}  // namespace epik::thread
