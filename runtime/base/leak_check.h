// SPDX-License-Identifier: BSD-3-Clause
// LeakSanitizer, where the program has it, follows pointers from stacks, globals and the heap. It does not know memory
// of mmap, nor objects that libepk.so makes with `new`: it would report memory to which only these point as a leak of
// the program.
#ifndef EPIK_RUNTIME_BASE_LEAK_CHECK_H_
#define EPIK_RUNTIME_BASE_LEAK_CHECK_H_

#include <cstddef>

extern "C" {
__attribute__((weak)) void __lsan_ignore_object(const void* object);
__attribute__((weak)) void __lsan_register_root_region(const void* memory, size_t bytes);
__attribute__((weak)) void __lsan_unregister_root_region(const void* memory, size_t bytes);
}

namespace epik::base {

// Tells the sanitizer that this memory has pointers into the heap, until the memory is given back.
inline void HoldsPointers(const void* memory, size_t bytes) {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(memory, bytes);
}
inline void HoldsNone(const void* memory, size_t bytes) {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(memory, bytes);
}

// Tells the sanitizer that only another library has a pointer to this object of the heap.
inline void IsHeldByOthers(const void* object) {
  if (__lsan_ignore_object != nullptr) __lsan_ignore_object(object);
}

// An object that lives until the program ends, wherever it is.
template <class Object>
void LivesOn(const Object* object) {
  IsHeldByOthers(object);
  HoldsPointers(object, sizeof *object);
}

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_LEAK_CHECK_H_
