// SPDX-License-Identifier: BSD-3-Clause
// Functions of libc that preloaded libraries replace, for EPIK's libraries alone: the linker hides these from the
// program, and no tool links them. libfaketime, for one, has a getpid that waits for a semaphore, and EPIK's sem_wait
// calls getpid; and its stat must not be called after its destructors, which EPIK's end comes after.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/compiler.h"
#include "runtime/base/system_call.h"

using epik::base::SystemCall;

extern "C" {

EPIK_HIDDEN pid_t getpid() noexcept { return static_cast<pid_t>(SystemCall(SYS_getpid)); }

EPIK_HIDDEN int fstat(int fd, struct stat* info) noexcept { return static_cast<int>(SystemCall(SYS_fstat, fd, info)); }
EPIK_HIDDEN int stat(const char* path, struct stat* info) noexcept {
  return static_cast<int>(SystemCall(SYS_newfstatat, AT_FDCWD, path, info, 0));
}
EPIK_HIDDEN int lstat(const char* path, struct stat* info) noexcept {
  return static_cast<int>(SystemCall(SYS_newfstatat, AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW));
}

EPIK_HIDDEN int nanosleep(const timespec* time, timespec* left) {
  return static_cast<int>(SystemCall(SYS_nanosleep, time, left));
}
EPIK_HIDDEN int poll(pollfd* files, nfds_t count, int ms) {
  constexpr int kMsPerSecond = 1000, kNsPerMs = 1'000'000;
  timespec time{ms / kMsPerSecond, ms % kMsPerSecond * long{kNsPerMs}};
  return static_cast<int>(SystemCall(SYS_ppoll, files, count, ms < 0 ? nullptr : &time, nullptr, 0));
}
}
