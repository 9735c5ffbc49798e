// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fibers/home.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/system_call.h"

extern "C" __attribute__((weak)) void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier)

namespace epik::fibers {
namespace {

// Reads /proc/self/maps with system calls alone: pthread_getattr_np calls malloc, which a handler may have interrupted.
class Mappings {
 public:
  Mappings() : fd_(static_cast<int>(base::SystemCall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC))) {}
  ~Mappings() {
    if (fd_ >= 0) base::SystemCall(SYS_close, fd_);
  }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  bool Next(Range* mapping) {
    if (!Number(&mapping->begin) || !Number(&mapping->end)) return false;
    for (int c = Character(); c != '\n'; c = Character()) {
      if (c < 0) return false;
    }
    return true;
  }

 private:
  // Reads a number and the character behind it.
  bool Number(uint64_t* number) {
    *number = 0;
    for (int c = Character();; c = Character()) {
      if (c >= '0' && c <= '9') {
        *number = *number << 4 | static_cast<uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        *number = *number << 4 | static_cast<uint64_t>(c - 'a' + 10);
      } else {
        return c >= 0;
      }
    }
  }

  int Character() {
    if (at_ == size_) {
      size_ = fd_ < 0 ? 0 : base::SystemCall(SYS_read, fd_, buffer_, sizeof buffer_);
      at_ = 0;
      if (size_ <= 0) {
        size_ = 0;
        return -1;
      }
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  // The buffer is small, because the caller's stack may be. Threads share no buffer: a handler that jumped away would
  // keep its lock.
  char buffer_[256];
  int fd_;
  long at_ = 0;
  long size_ = 0;
};

}  // namespace

Range HomeStack(uint64_t outermost) {
  const int saved_errno = errno;
  // The C library keeps its data about a thread at the upper end of the thread's stack; only the data of the first
  // thread are elsewhere. If another thread forked the process, the first thread has that thread's stack.
  const auto self = reinterpret_cast<uint64_t>(pthread_self());
  const bool is_first = base::SystemCall(SYS_gettid) == base::SystemCall(SYS_getpid) && &__libc_stack_end != nullptr;
  const uint64_t top = is_first ? reinterpret_cast<uint64_t>(__libc_stack_end) : self;
  Range of_first, of_thread, mapping;
  uint64_t before = 0;  // end of the mapping before: the first stack may grow down to it
  for (Mappings mappings; mappings.Next(&mapping); before = mapping.end) {
    if (mapping.Has(self)) of_thread = {mapping.begin, self};
    if (is_first && mapping.Has(top)) of_first = {before, mapping.end};
  }
  errno = saved_errno;
  if (!is_first) return of_thread;
  return of_first.Has(outermost) || !of_thread.Has(outermost) ? of_first : of_thread;
}

}  // namespace epik::fibers
