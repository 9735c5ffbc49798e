// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/forked.h"

#include <sys/single_threaded.h>
#include <sys/stat.h>

#include <cerrno>

namespace epik::base {
namespace {

// The parent writes it before each fork, the child alone reads it: threads that fork at the same time may write here,
// and any of their answers is right for all of them, because there are several threads.
bool had_threads = false;
bool locks_may_be_lost = false;

// The folder of a process's threads has two links more than threads.
bool HasOtherThreads() {
  constexpr unsigned long kLinksOfOneThread = 3;
  struct stat threads;
  if (stat("/proc/self/task", &threads) != 0) return __libc_single_threaded == 0;
  return threads.st_nlink > kLinksOfOneThread;
}

}  // namespace

bool LocksMayBeLost() { return locks_may_be_lost; }

void NoteThreadsBeforeFork() {
  const int saved_errno = errno;
  had_threads = HasOtherThreads();
  errno = saved_errno;
}

void NoteForked() { locks_may_be_lost = locks_may_be_lost || had_threads; }

}  // namespace epik::base
