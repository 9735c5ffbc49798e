// SPDX-License-Identifier: BSD-3-Clause
// While it lives, the floating-point unit of this thread is in its default state. The program may read the flags of its
// own exceptions, and may be stopped at the first one: EPIK's computations raise no flag and trap nowhere.
#ifndef EPIK_RUNTIME_BASE_FLOATS_APART_H_
#define EPIK_RUNTIME_BASE_FLOATS_APART_H_

#include <cstdint>

namespace epik::base {

#if defined(__x86_64__)
class FloatsApart {
 public:
  // The first instruction also masks the exceptions of the x87 unit.
  FloatsApart() {
    __asm__ volatile("fnstenv %0\n\tstmxcsr %1" : "=m"(x87_), "=m"(sse_) : : "memory");
    constexpr uint32_t kDefault = 0x1f80;  // all exceptions masked, no flag, to nearest
    __asm__ volatile("ldmxcsr %0" : : "m"(kDefault) : "memory");
  }
  ~FloatsApart() { __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(x87_), "m"(sse_) : "memory"); }
  FloatsApart(const FloatsApart&) = delete;
  FloatsApart& operator=(const FloatsApart&) = delete;

 private:
  uint32_t x87_[7];
  uint32_t sse_;
};
#elif defined(__aarch64__)
class FloatsApart {
 public:
  FloatsApart() {
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(status_) : : "memory");
    __asm__ volatile("msr fpcr, xzr" : : : "memory");
  }
  ~FloatsApart() { __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control_), "r"(status_) : "memory"); }
  FloatsApart(const FloatsApart&) = delete;
  FloatsApart& operator=(const FloatsApart&) = delete;

 private:
  uint64_t control_, status_;
};
#else
class FloatsApart {};
#endif

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_FLOATS_APART_H_
