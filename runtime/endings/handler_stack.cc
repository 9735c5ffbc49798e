// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/handler_stack.h"

#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

#include "runtime/base/system_call.h"

namespace epik::endings {

#if defined(__x86_64__)

namespace {

// The kernel's layout of struct sigaction.
struct KernelSigaction {
  uint64_t handler;
  uint64_t flags;
  uint64_t restorer;
  uint64_t mask;
};

constexpr size_t kBlock = 1024;             // it lies on the stack of the thread that ends
constexpr size_t kSearched = 256 * kBlock;  // a handler that calls exit() is not deep

// Copies the readable part of a block of our own memory. A handler does not know where the stack ends.
size_t ReadOwn(uint64_t from, void* to, size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{reinterpret_cast<void*>(from), bytes};
  const ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

// The kernel puts the machine's state right above the address to return to.
bool IsSignalFrame(uint64_t at) {
  struct {
    uint64_t flags;
    uint64_t link;
  } state;
  return ReadOwn(at + sizeof(uint64_t), &state, sizeof state) == sizeof state && state.flags < 16 && state.link == 0;
}

// The address to which handlers return: libc passes it to the kernel with each handler. 0: no handler is set.
uint64_t HandlerReturn() {
  for (int signal = 1; signal <= 64; ++signal) {
    KernelSigaction set{};
    if (base::SystemCall(SYS_rt_sigaction, signal, nullptr, &set, sizeof set.mask) != 0) continue;
    if (set.handler > 1 && set.restorer != 0) return set.restorer;
  }
  return 0;
}

}  // namespace

__attribute__((noinline)) bool InSignalHandler() {
  const uint64_t handler_return = HandlerReturn();
  if (handler_return == 0) return false;
  uint64_t words[kBlock / sizeof(uint64_t)];
  const uint64_t start = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const uint64_t end = start + kSearched;
  for (uint64_t at = start; at < end;) {
    const size_t to_block_end = kBlock - at % kBlock;
    const size_t n = ReadOwn(at, words, to_block_end);
    for (size_t i = 0; i < n / sizeof(uint64_t); ++i) {
      if (words[i] == handler_return && IsSignalFrame(at + i * sizeof(uint64_t))) return true;
    }
    if (n < to_block_end) return false;
    at += n;
  }
  return false;
}

#else

bool InSignalHandler() { return false; }

#endif

}  // namespace epik::endings
