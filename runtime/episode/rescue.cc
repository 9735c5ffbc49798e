// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/rescue.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/workplace.h"

namespace epik::episode {

using event::Ending;
using event::Process;

namespace {

constexpr int kMostPatienceMs = 30'000;  // for an archive to be written before the program may end

char command[PATH_MAX] = "";

// Runs in a child that shares our memory until it execs: nothing but system calls.
int ExecRecover(int wait_for, int announce) {
  char wait_text[16];
  std::snprintf(wait_text, sizeof wait_text, "%d", wait_for);
  // The ends of the pipes that belong to this process alone.
  if (announce >= 0) fcntl(announce, F_SETFD, 0);
  if (wait_for >= 0) fcntl(wait_for, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const char* arguments[] = {command,  "recover", "--ended",           "--wait-for",
                             wait_text, "--",     UnfinishedArchive(), nullptr};
  const char* environment[] = {"PATH=/usr/bin:/bin", "EPK_ENABLED=no", nullptr};
  setsid();  // not part of what a launcher or a terminal may be killing right now
  execve(command, const_cast<char**>(arguments), const_cast<char**>(environment));
  return 127;
}

// Starts the helper as nobody's child, so that no wait() of the program ever sees it. `announce` is a pipe end that
// closes when the helper is done; `wait_for` one that it reads before it begins.
bool StartRecover(int wait_for, int announce) {
  if (command[0] == '\0' || UnfinishedArchive()[0] == '\0') return false;
  // No exit signal: neither wait() nor a SIGCHLD handler of the program ever meets the one in the middle.
  const pid_t middle = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (middle < 0) return false;
  if (middle == 0) {
    const pid_t helper = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (helper == 0) syscall(SYS_exit_group, ExecRecover(wait_for, announce));
    syscall(SYS_exit_group, helper < 0 ? 1 : 0);
  }
  int status = 0;
  while (waitpid(middle, &status, __WALL) < 0 && errno == EINTR) {
  }
  return true;
}

// The program may have closed or redirected 0 to 2; our pipes must not take their places.
bool MakePipe(int ends[2]) {
  int raw[2];
  if (pipe2(raw, O_CLOEXEC) != 0) return false;
  for (int i = 0; i < 2; ++i) {
    ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
    close(raw[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

void Stop(Ending ending, int value) {
  Process()->end_ticks = base::Now();
  Process()->ending = ending;
  Process()->ending_value = value;
  const uint32_t other = 1 - (Process()->pair_index & 1);
  Process()->pair[other] = base::ReadClockPair();
  Process()->pair_index = other;
}

}  // namespace

void PrepareRescue() {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&PrepareRescue), &self) == 0 || self.dli_fname == nullptr) return;
  char path[PATH_MAX];
  const char* slash = std::strrchr(self.dli_fname, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname) + 1;
  std::snprintf(path, sizeof path, "%.*s../bin/epk", folder, self.dli_fname);
  char real[PATH_MAX];
  if (realpath(path, real) != nullptr && access(real, X_OK) == 0) std::snprintf(command, sizeof command, "%s", real);
}

void Rescue(Ending ending, int value) {
  if (!BeginRescue()) return;
  const int saved_errno = errno;
  Stop(ending, value);
  int ends[2];
  if (MakePipe(ends)) {
    const bool started = StartRecover(-1, ends[1]);
    close(ends[1]);
    pollfd done{ends[0], POLLIN, 0};
    if (started) poll(&done, 1, kMostPatienceMs);
    close(ends[0]);
  }
  errno = saved_errno;
}

RescueOnExec::RescueOnExec() {
  if (CurrentStage() != Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid())) return;
  int ends[2];
  if (!MakePipe(ends)) return;
  Process()->ending = Ending::kExec;
  StartRecover(ends[0], -1);
  close(ends[0]);
  cancel_ = ends[1];
}

RescueOnExec::~RescueOnExec() {
  if (cancel_ < 0) return;
  const int saved_errno = errno;
  Process()->ending = Ending::kNone;
  [[maybe_unused]] const ssize_t written = write(cancel_, "n", 1);
  close(cancel_);
  errno = saved_errno;
}

}  // namespace epik::episode
