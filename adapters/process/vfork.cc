// SPDX-License-Identifier: BSD-3-Clause
// The child of a vfork uses the parent's stack of frames. The parent closes the frames that are left there when the
// child execs or exits.
//
// x86-64 only; elsewhere the next exit that does not match repairs the stack.
#if defined(__x86_64__)

#include "runtime/base/clock.h"
#include "runtime/base/thread_memory.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace {

EPIK_PER_THREAD epik::base::PerThread<uint32_t> depth;

}  // namespace

extern "C" {

__attribute__((visibility("hidden"), used)) void epik_internal_vfork_begin() {
  const epik::event::Location* location = epik::episode::current;
  *depth = location == nullptr ? 0 : location->top - location->bottom;
}

__attribute__((visibility("hidden"), used)) void epik_internal_vfork_end() {
  epik::event::Location* location = epik::episode::current;
  if (location == nullptr || *depth == 0 || location->top - location->bottom <= *depth) return;
  location->repairs += location->top - location->bottom - *depth;
  epik::episode::CloseFrames(location, location->bottom + *depth + 1, epik::base::Now());
}
}

// The child returns first and overwrites the stack then, so the return address is kept in a register.
__asm__(R"(
    .text
    .globl vfork
    .type vfork, @function
vfork:
    .cfi_startproc
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call epik_internal_vfork_begin
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    .cfi_register %rip, %rdi
    mov $58, %eax
    syscall
    push %rdi
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rip, 0
    test %rax, %rax
    js 2f
    jz 1f
    push %rax
    .cfi_adjust_cfa_offset 8
    call epik_internal_vfork_end
    pop %rax
    .cfi_adjust_cfa_offset -8
1:  ret
2:  neg %eax
    push %rax
    .cfi_adjust_cfa_offset 8
    call __errno_location@PLT
    pop %rcx
    .cfi_adjust_cfa_offset -8
    mov %ecx, (%rax)
    mov $-1, %eax
    ret
    .cfi_endproc
    .size vfork, . - vfork
)");

#endif
