// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/own_stack.h"

#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "runtime/base/clock.h"
#include "runtime/base/floats_apart.h"
#include "runtime/base/own_pages.h"
#include "runtime/base/system_call.h"

namespace epik::base {
namespace {

// The end of a measurement takes 170 KiB (measured), most of it for the loader.
constexpr size_t kBytes = 1u << 20;
constexpr size_t kGuard = 64u << 10;

struct Stack {
  char* top = nullptr;
  std::atomic<pid_t> owner{0};
};
constinit Stack stacks[2];

char* Reserve() {
  void* memory = TakePages(kBytes, MAP_NORESERVE | MAP_STACK);
  if (memory == nullptr) return nullptr;
  mprotect(memory, kGuard, PROT_NONE);
  return static_cast<char*>(memory) + kBytes;
}

// Not inlined: a thread that gets this stack at once may have little room on its own.
[[gnu::noinline]] bool WaitFor(Stack* stack, pid_t me) {
  constexpr uint64_t kPatienceNs = 5'000'000'000;  // by the clock, because signals end polls early
  for (const uint64_t begin = MonotonicRawNs(); MonotonicRawNs() - begin < kPatienceNs; poll(nullptr, 0, 1)) {
    pid_t nobody = 0;
    if (stack->owner.compare_exchange_strong(nobody, me, std::memory_order_acquire)) return true;
  }
  return false;
}

// False: the calling thread has the stack already, or another thread keeps it for so long that it may be waiting for
// us.
bool Take(Stack* stack) {
  const auto me = static_cast<pid_t>(base::SystemCall(SYS_gettid));
  pid_t nobody = 0;
  if (stack->owner.compare_exchange_strong(nobody, me, std::memory_order_acquire)) return true;
  return nobody != me && WaitFor(stack, me);
}

}  // namespace

void ReserveOwnStacks() {
  for (Stack& stack : stacks) {
    if (stack.top == nullptr) stack.top = Reserve();
  }
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void CallOnStack(char* top, void (*function)(void*), void* argument) {
  void* stack = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
  // The old one waits in a register that the function preserves.
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[stack], %%rsp\n\t"
      "call *%[function]\n\t"
      "movq %%rbx, %%rsp"
      : [stack] "+r"(stack), [function] "+r"(function), "+D"(argument)
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#else
void CallOnStack(char*, void (*function)(void*), void* argument) { function(argument); }
#endif

void CallOnOwnStack(OwnStack which, void (*function)(void*), void* argument) {
  Stack* stack = &stacks[static_cast<int>(which)];
  const FloatsApart floats;
  // The unwinder of a cancelled thread could not return from the other stack.
  int cancelling = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  if (stack->top != nullptr && Take(stack)) {
    CallOnStack(stack->top, function, argument);
    stack->owner.store(0, std::memory_order_release);
  } else {
    function(argument);
  }
  pthread_setcancelstate(cancelling, nullptr);
}

void ForgetOwnStackOwners() {
  for (Stack& stack : stacks) stack.owner.store(0, std::memory_order_relaxed);
}

}  // namespace epik::base
