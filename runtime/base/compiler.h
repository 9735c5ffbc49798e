// SPDX-License-Identifier: BSD-3-Clause
// Attributes for the compiler, under names that tell their purpose.
#ifndef EPIK_RUNTIME_BASE_COMPILER_H_
#define EPIK_RUNTIME_BASE_COMPILER_H_

// Runs for every event of the program: inlined, no call, no lock, no allocation.
#define EPIK_HOT inline __attribute__((always_inline))
// The rare branch of a hot function: kept out of its way.
#define EPIK_COLD __attribute__((noinline, cold))
// Visible to the program; everything else in the runtime is hidden.
#define EPIK_EXPORT __attribute__((visibility("default")))
// Declared where a hook reads a variable of another file: the compiler knows that it is ours, and does not load its
// address first.
#define EPIK_HIDDEN __attribute__((visibility("hidden")))
// Never instrumented, even when a user builds the runtime with hooks.
#define EPIK_NO_HOOKS __attribute__((no_instrument_function))

#define EPIK_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define EPIK_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)

// Orders stores for a reader on the same thread (a signal handler) or after the process died: no instruction.
#define EPIK_ORDER() __asm__ volatile("" ::: "memory")

// A sanitizer puts variables of its own on stacks, and takes plain loads of shared words for races.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EPIK_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EPIK_SANITIZED
#endif
#endif

namespace epik::base {

// Reads a word that somebody else may write at any time. gcc needs one instruction more for an atomic load, because it
// takes the address first.
#if defined(EPIK_SANITIZED)
template <class Word>
EPIK_HOT Word ReadShared(const Word* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}
#else
template <class Word>
EPIK_HOT Word ReadShared(const Word* word) {
  return *const_cast<const volatile Word*>(word);
}
#endif

// The frame address of a function that keeps nothing on the stack; the builtin would cost it a frame pointer. The
// return address is 8 bytes above.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(EPIK_SANITIZED)
EPIK_HOT const void* FrameAddressOfLeaf() {
  const void* frame;
  __asm__("lea -8(%%rsp), %0" : "=r"(frame));
  return frame;
}
#else
EPIK_HOT const void* FrameAddressOfLeaf() { return __builtin_frame_address(0); }
#endif

}  // namespace epik::base

// The frame of a wrapper, as a hook in it would note it. A jump to the wrapper's caller leaves the wrapper.
#define EPIK_WRAPPER_FRAME (static_cast<const void*>(static_cast<const char*>(__builtin_frame_address(0)) - 16))

#endif  // EPIK_RUNTIME_BASE_COMPILER_H_
