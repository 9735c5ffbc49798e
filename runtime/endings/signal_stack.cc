// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/signal_stack.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>

#include "runtime/base/compiler.h"
#include "runtime/base/signal_stack.h"
#include "runtime/base/system_call.h"
#include "runtime/base/thread_memory.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace epik::endings {
namespace {

EPIK_PER_THREAD base::PerThread<void*> lent_stack;

// A handler of the program with SA_ONSTACK runs on this stack, too, and may need the room of a normal stack. The stack
// takes only address space until it is used. Below it lies a page that nobody may touch.
constexpr size_t kGuardBytes = 4096;
size_t SignalStackBytes() { return getauxval(AT_MINSIGSTKSZ) / 4096 * 4096 + (1u << 20); }

// Stacks of threads that have ended, for the next threads: mapping and unmapping one is most of the cost of a short
// thread. There is no lock, because a forked child would have to know that nobody holds it.
constexpr size_t kSpareStacks = 16;
std::atomic<void*> spare_stacks[kSpareStacks];

void* TakeSpareStack() {
  for (std::atomic<void*>& spare : spare_stacks) {
    if (spare.load(std::memory_order_relaxed) == nullptr) continue;
    if (void* memory = spare.exchange(nullptr, std::memory_order_acquire)) return memory;
  }
  return nullptr;
}

bool KeepSpareStack(void* memory) {
  for (std::atomic<void*>& spare : spare_stacks) {
    void* none = nullptr;
    if (spare.compare_exchange_strong(none, memory, std::memory_order_release, std::memory_order_relaxed)) return true;
  }
  return false;
}

void* NewSignalStack() {
  void* memory =
      mmap(nullptr, SignalStackBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mprotect(memory, kGuardBytes, PROT_NONE);
  return memory;
}

stack_t StackIn(void* memory) {
  stack_t stack{};
  stack.ss_sp = static_cast<char*>(memory) + kGuardBytes;
  stack.ss_size = SignalStackBytes() - kGuardBytes;
  return stack;
}

}  // namespace

stack_t LentStack() {
  if (*lent_stack != nullptr) return StackIn(*lent_stack);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  return none;
}

void LendSignalStack(event::Location*, bool) {
  const stack_t present = base::SignalStack();
  if ((present.ss_flags & SS_DISABLE) == 0) return;
  void* memory = TakeSpareStack();
  if (memory == nullptr) memory = NewSignalStack();
  if (memory == nullptr) return;
  const stack_t lent = StackIn(memory);
  if (base::SystemCall(SYS_sigaltstack, &lent, nullptr) == 0) {
    *lent_stack = memory;
  } else {
    munmap(memory, SignalStackBytes());
  }
}

void TakeSignalStackBack() {
  if (*lent_stack == nullptr) return;
  const stack_t present = base::SignalStack();
  if (present.ss_sp == LentStack().ss_sp) {
    if ((present.ss_flags & SS_ONSTACK) != 0) return;  // the thread ends inside a handler
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    base::SystemCall(SYS_sigaltstack, &none, nullptr);
  }
  if (!KeepSpareStack(*lent_stack)) munmap(*lent_stack, SignalStackBytes());
  *lent_stack = nullptr;
}

}  // namespace epik::endings
