// SPDX-License-Identifier: BSD-3-Clause
// System calls of our own. We cannot use libc's syscall(): EPIK wraps it to see which threads wait
// (adapters/thread/once.cc), and a wrapper must not call itself.
#ifndef EPIK_RUNTIME_BASE_SYSTEM_CALL_H_
#define EPIK_RUNTIME_BASE_SYSTEM_CALL_H_

#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <type_traits>

namespace epik::base {

template <typename T>
inline long SystemWord(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}
inline long SystemWord(std::nullptr_t) { return 0; }

#if defined(__x86_64__)
inline long RawSystemCall(long number, long a, long b, long c, long d, long e, long f) {
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
inline long RawSystemCall(long number, long a, long b, long c, long d, long e, long f) {
  register long which __asm__("x8") = number;
  register long first __asm__("x0") = a;
  register long second __asm__("x1") = b;
  register long third __asm__("x2") = c;
  register long fourth __asm__("x3") = d;
  register long fifth __asm__("x4") = e;
  register long sixth __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(first)
                   : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "memory");
  return first;
}
#else
#error "which instruction makes system calls?"
#endif

// Like libc's: -1 and errno for errors.
template <typename... Words>
inline long SystemCall(long number, Words... given) {
  static_assert(sizeof...(given) <= 6);
  const long words[7] = {SystemWord(given)...};
  const long result = RawSystemCall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  constexpr long kMostErrors = 4095;
  if (result >= 0 || result < -kMostErrors) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_SYSTEM_CALL_H_
