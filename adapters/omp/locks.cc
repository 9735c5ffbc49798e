// SPDX-License-Identifier: BSD-3-Clause
// Locks that the program sets itself. Fortran calls them by other names.
#include "adapters/omp/gomp.h"
#include "runtime/epilog/held_locks.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/teams/team_log.h"

namespace {

using epik::event::Key;

struct LockRegion {
  const char* name;
  uint32_t region;
  bool nests;
};

EPIK_COLD Key Define(LockRegion* lock) {
  const epik::episode::Inside guard;
  const uint32_t region =
      epik::episode::DefineRegion(lock->name, "", -1, epik::event::Role::kFunction, epik::event::Paradigm::kOpenMp);
  __atomic_store_n(&lock->region, region, __ATOMIC_RELAXED);
  return epik::event::RegionKey(region);
}

template <class Function>
EPIK_HOT auto Set(Function* real, LockRegion* lock, void* handle, const void* stack) {
  using Result = decltype(real(handle));
  if (real == nullptr) return Result();
  if (!epik::omp::IsOn(epik::omp::kLockGroup)) return real(handle);
  const uint32_t region = __atomic_load_n(&lock->region, __ATOMIC_RELAXED);
  const Key key = EPIK_LIKELY(region != 0) ? epik::event::RegionKey(region) : Define(lock);
  const auto address = reinterpret_cast<uint64_t>(handle);
  epik::episode::Enter(key, stack);
  if constexpr (std::is_void_v<Result>) {
    real(handle);
    epik::omp::order::After(handle);
    if (EPIK_UNLIKELY(epik::teams::LogsRecords())) epik::teams::LogAcquire(address, lock->nests);
    epik::episode::Exit(key, stack);
  } else {
    const Result count = real(handle);
    if (count != 0) epik::omp::order::After(handle);
    if (EPIK_UNLIKELY(epik::teams::LogsRecords()) && count != 0) epik::teams::LogAcquire(address, lock->nests);
    epik::episode::Exit(key, stack);
    return count;
  }
}

// Makes no region: these functions never wait.
template <class Function>
EPIK_HOT void Unset(Function* real, void* handle) {
  if (EPIK_UNLIKELY(epik::epilog::held_locks != 0)) {
    epik::teams::LogRelease(reinterpret_cast<uint64_t>(handle));
  }
  epik::omp::order::Before(handle);
  if (real != nullptr) real(handle);
}

LockRegion set_lock{"omp_set_lock", 0, false};
LockRegion set_nest_lock{"omp_set_nest_lock", 0, true};
LockRegion test_lock{"omp_test_lock", 0, false};
LockRegion test_nest_lock{"omp_test_nest_lock", 0, true};

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot have them.
#define LOCK(result, name)                                                                                  \
  EPIK_EXPORT result omp_##name(void* lock) { return Set(EPIK_REAL(omp_##name), &name, lock, EPIK_FRAME); } \
  EPIK_EXPORT result omp_##name##_(void* lock) { return Set(EPIK_REAL(omp_##name##_), &name, lock, EPIK_FRAME); }
// NOLINTEND(bugprone-macro-parentheses)
LOCK(void, set_lock)
LOCK(void, set_nest_lock)
LOCK(int, test_lock)
LOCK(int, test_nest_lock)

#define UNLOCK(name)                                                              \
  EPIK_EXPORT void omp_##name(void* lock) { Unset(EPIK_REAL(omp_##name), lock); } \
  EPIK_EXPORT void omp_##name##_(void* lock) { Unset(EPIK_REAL(omp_##name##_), lock); }
UNLOCK(unset_lock)
UNLOCK(unset_nest_lock)
}
