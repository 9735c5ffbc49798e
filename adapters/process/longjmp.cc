// SPDX-License-Identifier: BSD-3-Clause
// longjmp leaves functions without their exit hooks. The jump buffer has the stack pointer at which the jump lands, and
// each frame has the stack pointer at which it was entered. So we close exactly the skipped frames, at the moment of
// the jump.
//
// glibc on x86-64 only; elsewhere the next exit that does not match repairs the stack.
#undef _FORTIFY_SOURCE  // it would make longjmp a name of __longjmp_chk
#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__)

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>

#include <cstdint>

#include "runtime/base/clock.h"
#include "runtime/base/compiler.h"
#include "runtime/base/signal_stack.h"
#include "runtime/choice/pause.h"
#include "runtime/episode/jumps.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace {

constexpr int kStackPointer = 6;  // its place in glibc's __jmp_buf

// glibc keeps the stack pointer rotated and mixed with a secret of the thread.
uint64_t LandingStack(const __jmp_buf_tag* target) {
  uint64_t value = static_cast<uint64_t>(target->__jmpbuf[kStackPointer]);
  __asm__("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(value) : : "cc");
  return value;
}

void CloseSkipped(const __jmp_buf_tag* target) {
  const stack_t alternate = epik::base::SignalStack();
  epik::episode::StackRange left{0, 0};
  // The jump leaves a signal handler on its own stack: it skips all frames there, whatever their addresses are.
  if ((alternate.ss_flags & SS_ONSTACK) != 0) {
    left.begin = reinterpret_cast<uint64_t>(alternate.ss_sp);
    left.end = left.begin + alternate.ss_size;
  }
  const uint64_t landing = LandingStack(target);
  epik::episode::ForgetLeftFrame(landing, left);
  if (!epik::episode::HasLocation()) return;
  epik::event::Location* location = epik::episode::LocationAfterJump(landing, left);
  if (location != nullptr) return epik::episode::CloseLeftBehind(location, landing, left, epik::base::Now());
  if (epik::episode::pauses != 0) epik::choice::JumpWhilePaused(landing, left);
}

// An address sanitizer forgets the abandoned part of the stack if it sees that a call does not return.
using Jump __attribute__((noreturn)) = void (*)(__jmp_buf_tag*, int);

// Looked up early, because a signal handler may be the first to jump, and dlsym is not async-signal-safe.
struct RealJumps {
  Jump longjmp_, underscore_longjmp, siglongjmp_, checked;
};
RealJumps real;

Jump Find(const char* name) { return reinterpret_cast<Jump>(dlsym(RTLD_NEXT, name)); }

__attribute__((constructor)) void FindRealJumps() {
  if (real.longjmp_ != nullptr) return;
  real = {Find("longjmp"), Find("_longjmp"), Find("siglongjmp"), Find("__longjmp_chk")};
}

[[noreturn]] void JumpBy(Jump RealJumps::*which, __jmp_buf_tag* target, int value) {
  CloseSkipped(target);
  FindRealJumps();
  (real.*which)(target, value);
}

}  // namespace

extern "C" {

EPIK_EXPORT void longjmp(__jmp_buf_tag target[1], int value) noexcept { JumpBy(&RealJumps::longjmp_, target, value); }
EPIK_EXPORT void _longjmp(__jmp_buf_tag target[1], int value) noexcept {
  JumpBy(&RealJumps::underscore_longjmp, target, value);
}
EPIK_EXPORT void siglongjmp(__jmp_buf_tag target[1], int value) noexcept {
  JumpBy(&RealJumps::siglongjmp_, target, value);
}
// With _FORTIFY_SOURCE, programs call this instead of the functions above.
EPIK_EXPORT void __longjmp_chk(__jmp_buf_tag target[1], int value) noexcept;
EPIK_EXPORT void __longjmp_chk(__jmp_buf_tag target[1], int value) noexcept {
  JumpBy(&RealJumps::checked, target, value);
}
}

#endif
