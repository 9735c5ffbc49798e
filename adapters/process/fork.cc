// SPDX-License-Identifier: BSD-3-Clause
// Wraps _Fork, after which libc calls no handlers in the child, and daemon, whose parent ends by an _exit that we do
// not see.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/compiler.h"
#include "runtime/base/forked.h"
#include "runtime/episode/lifecycle.h"

namespace {

using Fork = pid_t (*)();
Fork real = nullptr;

// Looks them up early: a forked child may not ask the loader (runtime/base/forked.h).
__attribute__((constructor)) void FindReal() {
  if (real == nullptr) real = reinterpret_cast<Fork>(dlsym(RTLD_NEXT, "_Fork"));
}

}  // namespace

extern "C" {

// _Fork runs no handlers of pthread_atfork. The caller promises to call only async-signal-safe functions in the child,
// but the child's instrumented functions still call hooks.
EPIK_EXPORT pid_t _Fork(void) noexcept {
  FindReal();
  if (real == nullptr) return fork();
  epik::base::NoteThreadsBeforeFork();
  const pid_t pid = real();
  if (pid == 0) epik::episode::OnForkInChild();
  return pid;
}

// libc's daemon ends the parent by its own _exit, which does not come through our wrapper.
EPIK_EXPORT int daemon(int stay, int keep_descriptors) noexcept {
  const pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid > 0) _exit(0);
  if (setsid() < 0) return -1;
  if (stay == 0 && chdir("/") != 0) return -1;
  if (keep_descriptors != 0) return 0;
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return -1;
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) dup2(null, fd);
  if (null > STDERR_FILENO) close(null);
  return 0;
}
}
