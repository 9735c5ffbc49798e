// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

#include "adapters/thread/free_locks_hot.h"
#include "adapters/thread/waits.h"
#include "runtime/base/system_call.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"

extern "C" __attribute__((weak)) const char* gnu_get_libc_version();

namespace epik::thread {

bool plain_is_known = false;

namespace {

// Whether a filter or a group excludes the waiting in mutexes, and so all locks. Found at the first call.
bool LocksAreOut() {
  enum : uint8_t { kUnknown, kIn, kOut };
  static constinit uint8_t known = kUnknown;
  uint8_t now = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (EPIK_UNLIKELY(now == kUnknown)) {
    const episode::Inside guard;
    now = episode::RegionIsOut({0, "pthread_mutex_lock", "", event::Role::kFunction, kThreads}) ? kOut : kIn;
    __atomic_store_n(&known, now, __ATOMIC_RELAXED);
  }
  return now == kOut;
}

// Call paths of MPI, whose library takes its own locks there. One that others overwrite is asked for again.
constexpr uint32_t kPathsOfMpi = 64;
uint32_t paths_of_mpi[kPathsOfMpi];

bool IsOfMpi(uint32_t path) {
  uint32_t* known = &paths_of_mpi[path % kPathsOfMpi];
  if (__atomic_load_n(known, __ATOMIC_RELAXED) == path) return true;
  if (!IsInMpi()) return false;
  __atomic_store_n(known, path, __ATOMIC_RELAXED);
  return true;
}

}  // namespace

void CountInOther(event::Location* location, const void* caller) {
  const uint32_t below = location->node;
  if (IsOfMpi(below)) return;
  const int saved_errno = errno;
  if (!LocksAreOut() && !IsForParadigm(caller)) {
    const event::Key key = event::RegionKey(event::kLocksFreeMetric);
    uint32_t child = epitome::FindChild(event::NodeAt(below), key);
    if (child == 0) child = episode::MakeChild(location, below, key);
    if (event::NodeAt(child)->key == key) {  // else there was no room for it
      location->locks_free = child;
      EPIK_ORDER();
      location->locks_below = below;
      ++event::NodeAt(child)->visits;
    }
  }
  errno = saved_errno;
}

#ifdef __GLIBC__
namespace {

using MutexFunction = int(pthread_mutex_t*);

MutexFunction* NextOf(const char* name) { return reinterpret_cast<MutexFunction*>(FindNext(name, nullptr)); }

bool IsInLibc(MutexFunction* function) {
  Dl_info libc, theirs;
  return function != nullptr && gnu_get_libc_version != nullptr &&
         dladdr(reinterpret_cast<const void*>(gnu_get_libc_version), &libc) != 0 &&
         dladdr(reinterpret_cast<const void*>(function), &theirs) != 0 && libc.dli_fbase == theirs.dli_fbase;
}

bool IsSame(const pthread_mutex_t& a, const pthread_mutex_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Compares what libc makes of a plain mutex with what TakePlain makes of it, and lets libc give back both.
bool TakesLikeLibc() {
  MutexFunction* const lock = NextOf("pthread_mutex_lock");
  MutexFunction* const unlock = NextOf("pthread_mutex_unlock");
  if (!IsInLibc(lock) || !IsInLibc(unlock)) return false;
  const auto thread_id = static_cast<uint32_t>(base::SystemCall(SYS_gettid));
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t theirs = fresh, ours = fresh;
  if (lock(&theirs) != 0 || !TakePlain(&ours, thread_id)) return false;
  const bool alike = IsSame(theirs, ours);
  return unlock(&theirs) == 0 && unlock(&ours) == 0 && alike && IsSame(theirs, fresh) && IsSame(ours, fresh);
}

__attribute__((constructor)) void KnowPlain() {
  plain_is_known = true;
  plain_is_known = TakesLikeLibc();
}

}  // namespace
#endif

}  // namespace epik::thread
