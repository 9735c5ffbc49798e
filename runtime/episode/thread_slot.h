// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_RUNTIME_EPISODE_THREAD_SLOT_H_
#define EPIK_RUNTIME_EPISODE_THREAD_SLOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// A pointer of one thread that another one may take away at any moment: plain moves, but no data race. Callers read it
// once and keep the value, because a second read may find null. So it has no operator->.
class ThreadSlot {
 public:
  EPIK_HOT operator event::Location*() const {  // NOLINT(google-explicit-constructor): to be read like a pointer
    return __atomic_load_n(&location_, __ATOMIC_RELAXED);
  }
  EPIK_HOT void operator=(event::Location* location) { __atomic_store_n(&location_, location, __ATOMIC_RELAXED); }
  // Sequentially consistent with all other such stores: see PutBack.
  void SetOrdered(event::Location* location) { __atomic_store_n(&location_, location, __ATOMIC_SEQ_CST); }

 private:
  event::Location* location_ = nullptr;
};

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_THREAD_SLOT_H_
