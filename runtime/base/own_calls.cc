// SPDX-License-Identifier: BSD-3-Clause
// Functions of libc that preloaded libraries replace, for EPIK's libraries alone: the linker hides these from the
// program, and no tool links them. libfaketime, for one, has a getpid that waits for a semaphore, and EPIK's sem_wait
// calls getpid; and its stat must not be called after its destructors, which EPIK's end comes after.
//
// In libc, the calls that open, read, write, close and wait are cancellation points, too. A thread must not be
// cancelled in EPIK, where the program has no such point. While signals are blocked, it would even wait in libc for the
// signal of pthread_cancel for ever.
//
// With _FORTIFY_SOURCE, headers of libc define read and poll themselves, and clang takes no second definition.
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

EPIK_HIDDEN int open(const char* path, int flags, ...) {
  va_list given;
  va_start(given, flags);
  const mode_t mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(given, mode_t) : 0;
  va_end(given);
  return static_cast<int>(SystemCall(SYS_openat, AT_FDCWD, path, flags, mode));
}
EPIK_HIDDEN int close(int fd) { return static_cast<int>(SystemCall(SYS_close, fd)); }
EPIK_HIDDEN ssize_t read(int fd, void* bytes, size_t size) { return SystemCall(SYS_read, fd, bytes, size); }
EPIK_HIDDEN ssize_t write(int fd, const void* bytes, size_t size) { return SystemCall(SYS_write, fd, bytes, size); }
EPIK_HIDDEN ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  return SystemCall(SYS_pwrite64, fd, bytes, size, at);
}
EPIK_HIDDEN pid_t waitpid(pid_t process, int* status, int options) {
  return static_cast<pid_t>(SystemCall(SYS_wait4, process, status, options, nullptr));
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
