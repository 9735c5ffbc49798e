// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/thread/plain_mutex.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include <cstring>

#include "adapters/thread/waits.h"
#include "runtime/base/system_call.h"

extern "C" __attribute__((weak)) const char* gnu_get_libc_version();

namespace epik::thread {

bool plain_is_known = false;

bool IsInLibc(const void* function) {
  Dl_info libc, theirs;
  return function != nullptr && gnu_get_libc_version != nullptr &&
         dladdr(reinterpret_cast<const void*>(gnu_get_libc_version), &libc) != 0 && dladdr(function, &theirs) != 0 &&
         libc.dli_fbase == theirs.dli_fbase;
}

#ifdef __GLIBC__
namespace {

using MutexFunction = int(pthread_mutex_t*);

MutexFunction* NextOf(const char* name) { return reinterpret_cast<MutexFunction*>(FindNext(name, nullptr)); }

bool IsSame(const pthread_mutex_t& a, const pthread_mutex_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Compares a plain mutex that libc takes and gives back with one that TakePlain and GivePlain handle.
bool TakesLikeLibc() {
  MutexFunction* const lock = NextOf("pthread_mutex_lock");
  MutexFunction* const unlock = NextOf("pthread_mutex_unlock");
  if (!IsInLibc(reinterpret_cast<const void*>(lock)) || !IsInLibc(reinterpret_cast<const void*>(unlock))) return false;
  const auto thread_id = static_cast<uint32_t>(base::SystemCall(SYS_gettid));
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t theirs = fresh, ours = fresh;
  if (lock(&theirs) != 0 || !TakePlain(&ours, thread_id)) return false;
  const bool alike = IsSame(theirs, ours);
  if (unlock(&theirs) != 0 || !GivePlain(&ours)) return false;
  const bool alike_after = IsSame(theirs, fresh) && IsSame(ours, fresh);
  pthread_mutex_destroy(&theirs);  // valgrind's drd wants no other object at its place before
  return alike && alike_after;
}

__attribute__((constructor)) void KnowPlain() {
  plain_is_known = true;
  plain_is_known = TakesLikeLibc();
}

}  // namespace
#endif

}  // namespace epik::thread
