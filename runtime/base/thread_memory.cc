// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/thread_memory.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "runtime/base/own_pages.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/base/spinlock.h"
#include "runtime/base/system_call.h"

// The linker's: where the pattern begins and ends.
extern "C" {
extern __attribute__((visibility("hidden"))) char __start_epik_thread[];  // NOLINT(bugprone-reserved-identifier)
extern __attribute__((visibility("hidden"))) char __stop_epik_thread[];   // NOLINT(bugprone-reserved-identifier)
}

namespace epik::base {

__thread uintptr_t thread_memory __attribute__((tls_model("initial-exec"))) = 0;

namespace {

constexpr size_t kAlignment = 16;
constexpr size_t kPieceBytes = 64u << 10;

// In front of each thread's memory.
struct alignas(kAlignment) Head {
  Head* next;
  pid_t thread;
  bool kept;  // other threads look at it
};

// No moment is certainly after a thread's last event: destructors of the program may run after ours. So we take a
// memory back when its thread is gone. We search for such memories when twice as many are in use as at the last search.
struct Memories {
  SpinLock lock;
  pid_t process = 0;
  Head* used = nullptr;
  Head* free = nullptr;
  size_t in_use = 0;
  size_t next_look = 64;
  char* piece = nullptr;  // rest of the last mapping
  size_t left = 0;
};
constinit Memories memories;

constexpr size_t kSpareBytes = 2048;
alignas(kAlignment) char spare[kSpareBytes];

// This variable makes sure that the section is never empty.
EPIK_PER_THREAD PerThread<bool> has_own{true};

size_t PatternBytes() { return static_cast<size_t>(__stop_epik_thread - __start_epik_thread); }
size_t BytesOfOne() { return sizeof(Head) + (PatternBytes() + kAlignment - 1) / kAlignment * kAlignment; }

bool IsGone(const Head* head) {
  return !__atomic_load_n(&head->kept, __ATOMIC_ACQUIRE) &&
         base::SystemCall(SYS_tgkill, memories.process, head->thread, 0) != 0 && errno == ESRCH;
}

void TakeBackThoseOfEndedThreads() {
  for (Head** link = &memories.used; *link != nullptr;) {
    Head* head = *link;
    if (!IsGone(head)) {
      link = &head->next;
      continue;
    }
    *link = head->next;
    head->next = memories.free;
    memories.free = head;
    --memories.in_use;
  }
  memories.next_look = std::max<size_t>(64, 2 * memories.in_use);
}

Head* TakeNew() {
  const size_t bytes = BytesOfOne();
  if (memories.left < bytes) {
    void* piece = TakePages(kPieceBytes);
    if (piece == nullptr) return nullptr;
    memories.piece = static_cast<char*>(piece);
    memories.left = kPieceBytes;
  }
  auto* head = reinterpret_cast<Head*>(memories.piece);
  memories.piece += bytes;
  memories.left -= bytes;
  return head;
}

Head* Take() {
  const Locked lock(memories.lock);
  if (memories.process != getpid()) {  // forked by a bare system call: we cannot tell which thread has which memory
    memories.process = getpid();
    memories.used = nullptr;
    memories.in_use = 0;
  }
  if (memories.free == nullptr && memories.in_use >= memories.next_look) TakeBackThoseOfEndedThreads();
  Head* head = memories.free;
  if (head != nullptr) {
    memories.free = head->next;
  } else if ((head = TakeNew()) == nullptr) {
    return nullptr;
  }
  head->thread = static_cast<pid_t>(base::SystemCall(SYS_gettid));
  head->kept = false;
  head->next = memories.used;
  memories.used = head;
  ++memories.in_use;
  return head;
}

Head* HeadOfThis() {
  return reinterpret_cast<Head*>(reinterpret_cast<uintptr_t>(__start_epik_thread) + thread_memory) - 1;
}

}  // namespace

uintptr_t MakeThreadMemory() {
  const int saved_errno = errno;
  const SignalsBlocked blocked;
  if (thread_memory != 0) return thread_memory;  // a handler that came before signals were blocked has made it
  Head* head = Take();
  char* memory = head != nullptr ? reinterpret_cast<char*>(head + 1) : spare;
  std::memcpy(memory, __start_epik_thread, std::min(PatternBytes(), head != nullptr ? SIZE_MAX : kSpareBytes));
  const auto pattern = reinterpret_cast<uintptr_t>(__start_epik_thread);
  thread_memory = reinterpret_cast<uintptr_t>(memory) - pattern;
  if (head == nullptr) *has_own = false;
  errno = saved_errno;
  return thread_memory;
}

bool HasOwnThreadMemory() { return *has_own; }

void KeepThreadMemory(bool keep) {
  if (*has_own) __atomic_store_n(&HeadOfThis()->kept, keep, __ATOMIC_RELEASE);
}

void ForgetThreadMemories() {
  memories.lock.Reset();
  memories.process = getpid();
  for (Head* head = memories.used; head != nullptr; head = head->next) head->kept = false;
  if (thread_memory != 0 && *has_own) HeadOfThis()->thread = static_cast<pid_t>(base::SystemCall(SYS_gettid));
}

}  // namespace epik::base
