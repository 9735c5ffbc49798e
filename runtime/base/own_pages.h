// SPDX-License-Identifier: BSD-3-Clause
// Memory of our own, by bare system calls: allocators may wrap mmap. tcmalloc does, and its mmap calls pthread_once,
// which EPIK wraps: the wrapper would want a lock that this thread holds already.
#ifndef EPIK_RUNTIME_BASE_OWN_PAGES_H_
#define EPIK_RUNTIME_BASE_OWN_PAGES_H_

#include <sys/mman.h>

#include <cstddef>

#include "runtime/base/system_call.h"

namespace epik::base {

// TakePages returns null if there is no memory.
#ifdef __SANITIZE_THREAD__
// ThreadSanitizer must learn that pages are new: it would compare what this thread does with what others did there.
inline void* TakePages(size_t bytes, int more_flags = 0) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}
inline void GivePages(void* start, size_t bytes) { munmap(start, bytes); }
#else
inline void* TakePages(size_t bytes, int more_flags = 0) {
  const long start =
      SystemCall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return start == -1 ? nullptr : reinterpret_cast<void*>(start);
}

inline void GivePages(void* start, size_t bytes) { SystemCall(SYS_munmap, start, bytes); }
#endif

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_OWN_PAGES_H_
