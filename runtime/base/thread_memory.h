// SPDX-License-Identifier: BSD-3-Clause
// Variables of threads behind one pointer. The loader has little room for the thread-local variables of libraries that
// a running program loads (1,664 bytes, for all of them together), so libepk.so may have 64 bytes there: only what
// hooks read at each event. All other variables of threads are declared with EPIK_PER_THREAD:
//
//   EPIK_PER_THREAD PerThread<uint32_t> depth;
//   *depth = 1;
//
// The declared object is never changed. All of them lie in one section, which is the pattern of each thread's memory.
#ifndef EPIK_RUNTIME_BASE_THREAD_MEMORY_H_
#define EPIK_RUNTIME_BASE_THREAD_MEMORY_H_

#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::base {

// Distance from the pattern to the thread's memory; 0: the thread has no memory yet.
extern __thread uintptr_t thread_memory __attribute__((tls_model("initial-exec")));
EPIK_COLD uintptr_t MakeThreadMemory();

template <class T>
class PerThread {
 public:
  constexpr PerThread() = default;
  explicit constexpr PerThread(T pattern) : pattern_(pattern) {}
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& operator*() const {
    uintptr_t distance = thread_memory;
    if (EPIK_UNLIKELY(distance == 0)) distance = MakeThreadMemory();
    return *reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(&pattern_) + distance);
  }
  T* operator->() const { return &**this; }

 private:
  T pattern_ = {};
};

#define EPIK_PER_THREAD constinit __attribute__((section("epik_thread"), used))

// False: there was no memory left for this thread. Such threads share one memory, and none of them may be measured.
bool HasOwnThreadMemory();

// Memory that others point into is not given to another thread, even when its thread has ended unnoticed.
void KeepThreadMemory(bool keep);

// In a forked child: only the calling thread exists.
void ForgetThreadMemories();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_THREAD_MEMORY_H_
