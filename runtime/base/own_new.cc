// SPDX-License-Identifier: BSD-3-Clause
// `new` and `delete` of libepk.so alone: the linker hides them from the program, and no other target links them.
#include <cstdlib>
#include <new>

#include "runtime/base/own_heap.h"

void* operator new(size_t bytes) {
  void* block = epik::base::TakeOwn(bytes);
  if (block == nullptr) abort();  // as libstdc++ would: nothing in this library catches std::bad_alloc
  return block;
}
void* operator new[](size_t bytes) { return operator new(bytes); }
// std::stable_partition takes memory this way. If it gets no memory, it works in place.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return epik::base::TakeOwn(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return epik::base::TakeOwn(bytes); }
void operator delete(void* block) noexcept { epik::base::GiveOwn(block); }
void operator delete[](void* block) noexcept { epik::base::GiveOwn(block); }
void operator delete(void* block, size_t) noexcept { epik::base::GiveOwn(block); }
void operator delete[](void* block, size_t) noexcept { epik::base::GiveOwn(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { epik::base::GiveOwn(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { epik::base::GiveOwn(block); }
