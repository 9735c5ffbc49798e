// SPDX-License-Identifier: BSD-3-Clause
// Barriers, sections, single and mutual exclusion of libgomp.
#include "adapters/omp/gomp.h"
#include "runtime/base/thread_memory.h"
#include "runtime/epilog/held_locks.h"

using epik::event::Construct;
using epik::event::ConstructKey;
using epik::event::Key;

namespace {

using epik::epilog::held_locks;
using epik::omp::EnterWork;
using epik::omp::Is;
using epik::omp::IsOn;
using epik::omp::single_at;
using epik::teams::LogAcquire;
using epik::teams::LogRelease;
using epik::teams::LogsRecords;

// GCC ends a `single` by an ordinary call of the barrier, so we take a barrier right after a `single` for its end.
EPIK_HOT Key BarrierKey(uint64_t caller) {
  if (single_at == 0) {
    const bool is_jump = EPIK_UNLIKELY(epik::omp::RunsBodies(caller));
    const Key region = is_jump ? epik::omp::Innermost() : Key();
    const bool ends_region = is_jump && epik::omp::ConstructOf(region) == Construct::kParallel;
    return ConstructKey(Construct::kBarrier, ends_region ? epik::event::AddressOf(region) : caller);
  }
  const Key key = ConstructKey(Construct::kImplicitBarrier, single_at);
  single_at = 0;
  return key;
}

// Ends a barrier that is entered only now: the thread did not know before that it would wait.
void LeaveBarrier(Key barrier, const void* stack) {
  if (EPIK_UNLIKELY(LogsRecords())) epik::teams::LogWait(barrier);
  if (EPIK_UNLIKELY(epik::monitor::NotesTeams())) epik::monitor::NoteTeamBarrier(barrier, stack);
  epik::episode::Exit(barrier, stack);
}

// Waits for the lock, then enters the block: so the outer region's exclusive time is the waiting. `lock` is an address
// that identifies the lock.
template <class Function, class... Arguments>
EPIK_HOT void Lock(Function* real, const void* lock, Construct wait, Construct block, uint64_t caller,
                   const void* stack, Arguments... arguments) {
  epik::episode::Enter(ConstructKey(wait, caller), stack);
  real(arguments...);
  epik::omp::order::After(lock);
  if (EPIK_UNLIKELY(LogsRecords())) LogAcquire(reinterpret_cast<uint64_t>(lock), false);
  epik::episode::Enter(ConstructKey(block, caller), stack);
}

EPIK_HOT void Release(const void* lock) {
  if (EPIK_UNLIKELY(held_locks != 0)) LogRelease(reinterpret_cast<uint64_t>(lock));
}

template <class Function, class... Arguments>
EPIK_HOT void Unlock(Function* real, const void* lock, Construct wait, Construct block, const void* stack,
                     Arguments... arguments) {
  Release(lock);
  epik::omp::order::Before(lock);
  real(arguments...);
  const Key key = epik::omp::Innermost();
  if (EPIK_UNLIKELY(key == 0)) return;
  if (EPIK_UNLIKELY(epik::omp::ConstructOf(key) != block)) {
    epik::omp::ExitOuterWork(
        block == Construct::kCriticalBlock ? Is<Construct::kCriticalBlock> : Is<Construct::kOrderedBlock>, stack);
  } else {
    epik::episode::Exit(key, stack);
  }
  epik::episode::Exit(ConstructKey(wait, epik::event::AddressOf(key)), stack);
}

EPIK_HOT void EnterSections(uint64_t caller, const void* stack) {
  EnterWork(ConstructKey(Construct::kSections, caller), stack);
  if (EPIK_UNLIKELY(LogsRecords())) epik::teams::LogWork();
}

// The program knows no address for these locks: all unnamed critical sections share one, and so do all atomics.
// `ordered` has a lock for each construct.
const char unnamed_critical = 0, all_atomics = 0;
// The place of the innermost `ordered` that the thread is in.
EPIK_PER_THREAD epik::base::PerThread<uint64_t> ordered_at;

}  // namespace

extern "C" {

EPIK_EXPORT void GOMP_barrier(void) {
  auto* real = EPIK_REAL(GOMP_barrier);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kBarrierGroup)) return real();
  epik::omp::EndSingle(EPIK_FRAME);
  epik::omp::Wait(real, BarrierKey(EPIK_CALLER), EPIK_FRAME);
}

EPIK_EXPORT bool GOMP_barrier_cancel(void) {
  auto* real = EPIK_REAL(GOMP_barrier_cancel);
  if (real == nullptr) return false;
  if (!IsOn(epik::omp::kBarrierGroup)) return real();
  epik::omp::EndSingle(EPIK_FRAME);
  return epik::omp::Wait(real, BarrierKey(EPIK_CALLER), EPIK_FRAME);
}

// Joins the results of the tasks of a loop; waits for the other threads unless the loop was cancelled.
EPIK_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  auto* real = EPIK_REAL(GOMP_workshare_task_reduction_unregister);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kBarrierGroup)) return real(cancelled);
  epik::omp::Wait(real, ConstructKey(Construct::kReduction, EPIK_CALLER), EPIK_FRAME, cancelled);
}

EPIK_EXPORT unsigned GOMP_sections_start(unsigned count) {
  auto* real = EPIK_REAL(GOMP_sections_start);
  if (IsOn(epik::omp::kSectionsGroup)) EnterSections(EPIK_CALLER, EPIK_FRAME);
  return real != nullptr ? real(count) : 0;
}

EPIK_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
  auto* real = EPIK_REAL(GOMP_sections2_start);
  if (IsOn(epik::omp::kSectionsGroup)) EnterSections(EPIK_CALLER, EPIK_FRAME);
  return real != nullptr ? real(count, reductions, memory) : 0;
}

EPIK_EXPORT void GOMP_sections_end(void) {
  auto* real = EPIK_REAL(GOMP_sections_end);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kSectionsGroup)) return real();
  epik::omp::EndWork(Is<Construct::kSections>, real, EPIK_FRAME);
}

EPIK_EXPORT bool GOMP_sections_end_cancel(void) {
  auto* real = EPIK_REAL(GOMP_sections_end_cancel);
  if (real == nullptr) return false;
  if (!IsOn(epik::omp::kSectionsGroup)) return real();
  return epik::omp::EndWork(Is<Construct::kSections>, real, EPIK_FRAME);
}

EPIK_EXPORT void GOMP_sections_end_nowait(void) {
  auto* real = EPIK_REAL(GOMP_sections_end_nowait);
  if (real != nullptr) real();
  if (IsOn(epik::omp::kSectionsGroup)) epik::omp::ExitWork(Is<Construct::kSections>, EPIK_FRAME);
}

EPIK_EXPORT bool GOMP_single_start(void) {
  auto* real = EPIK_REAL(GOMP_single_start);
  const bool mine = real == nullptr || real();
  if (!IsOn(epik::omp::kSingleGroup)) return mine;
  epik::omp::EndSingle(EPIK_FRAME);
  single_at = EPIK_CALLER;
  if (!mine) return false;
  epik::episode::Enter(ConstructKey(Construct::kSingle, EPIK_CALLER), EPIK_FRAME);
  if (EPIK_UNLIKELY(LogsRecords())) epik::teams::LogWork();
  return true;
}

// Null for the thread that executes the `single`; the others wait for the data that it broadcasts.
EPIK_EXPORT void* GOMP_single_copy_start(void) {
  auto* real = EPIK_REAL(GOMP_single_copy_start);
  if (real == nullptr) return nullptr;
  if (!IsOn(epik::omp::kSingleGroup)) return real();
  epik::omp::EndSingle(EPIK_FRAME);
  const uint64_t began = epik::base::Now();
  void* data = real();
  if (data != nullptr) epik::omp::order::Single(true);
  const Key key = ConstructKey(data == nullptr ? Construct::kSingle : Construct::kImplicitBarrier, EPIK_CALLER);
  const bool on = data == nullptr || IsOn(epik::omp::kBarrierGroup);
  if (epik::episode::Location* location = epik::episode::current; location != nullptr && on) {
    epik::episode::Enter(location, key, reinterpret_cast<uint64_t>(EPIK_FRAME), [began] { return began; });
    if (data != nullptr) {
      LeaveBarrier(key, EPIK_FRAME);
    } else if (EPIK_UNLIKELY(LogsRecords())) {
      epik::teams::LogWork();
    }
  }
  single_at = EPIK_CALLER;
  return data;
}

EPIK_EXPORT void GOMP_single_copy_end(void* data) {
  auto* real = EPIK_REAL(GOMP_single_copy_end);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kSingleGroup)) return real(data);
  epik::omp::order::Single(false);
  epik::omp::EndWork(Is<Construct::kSingle>, real, EPIK_FRAME, data);
}

EPIK_EXPORT void GOMP_critical_start(void) {
  auto* real = EPIK_REAL(GOMP_critical_start);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kCriticalGroup)) return real();
  Lock(real, &unnamed_critical, Construct::kCritical, Construct::kCriticalBlock, EPIK_CALLER, EPIK_FRAME);
}

EPIK_EXPORT void GOMP_critical_end(void) {
  auto* real = EPIK_REAL(GOMP_critical_end);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kCriticalGroup)) return real();
  Unlock(real, &unnamed_critical, Construct::kCritical, Construct::kCriticalBlock, EPIK_FRAME);
}

EPIK_EXPORT void GOMP_critical_name_start(void** name) {
  auto* real = EPIK_REAL(GOMP_critical_name_start);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kCriticalGroup)) return real(name);
  Lock(real, name, Construct::kCritical, Construct::kCriticalBlock, EPIK_CALLER, EPIK_FRAME, name);
}

EPIK_EXPORT void GOMP_critical_name_end(void** name) {
  auto* real = EPIK_REAL(GOMP_critical_name_end);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kCriticalGroup)) return real(name);
  Unlock(real, name, Construct::kCritical, Construct::kCriticalBlock, EPIK_FRAME, name);
}

EPIK_EXPORT void GOMP_ordered_start(void) {
  auto* real = EPIK_REAL(GOMP_ordered_start);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kOrderedGroup)) return real();
  *ordered_at = EPIK_CALLER;
  Lock(real, reinterpret_cast<void*>(*ordered_at), Construct::kOrdered, Construct::kOrderedBlock, EPIK_CALLER,
       EPIK_FRAME);
}

EPIK_EXPORT void GOMP_ordered_end(void) {
  auto* real = EPIK_REAL(GOMP_ordered_end);
  if (real == nullptr) return;
  if (!IsOn(epik::omp::kOrderedGroup)) return real();
  Unlock(real, reinterpret_cast<void*>(*ordered_at), Construct::kOrdered, Construct::kOrderedBlock, EPIK_FRAME);
}

// Atomics for which the machine has no instruction: they share one lock.
EPIK_EXPORT void GOMP_atomic_start(void) {
  auto* real = EPIK_REAL(GOMP_atomic_start);
  const bool on = IsOn(epik::omp::kCriticalGroup);
  if (on) epik::episode::Enter(ConstructKey(Construct::kAtomic, EPIK_CALLER), EPIK_FRAME);
  if (real != nullptr) real();
  epik::omp::order::After(&all_atomics);
  if (EPIK_UNLIKELY(on && LogsRecords())) LogAcquire(reinterpret_cast<uint64_t>(&all_atomics), false);
}

EPIK_EXPORT void GOMP_atomic_end(void) {
  auto* real = EPIK_REAL(GOMP_atomic_end);
  Release(&all_atomics);
  epik::omp::order::Before(&all_atomics);
  if (real != nullptr) real();
  if (IsOn(epik::omp::kCriticalGroup)) epik::omp::ExitWork(Is<Construct::kAtomic>, EPIK_FRAME);
}
}
