// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/rescue.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/abi/runner.h"
#include "runtime/base/clock.h"
#include "runtime/base/installation.h"
#include "runtime/base/log.h"
#include "runtime/base/own_stack.h"
#include "runtime/base/system_call.h"
#include "runtime/episode/effort.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/options.h"
#include "runtime/episode/workplace.h"

namespace epik::endings {

using event::Ending;
using event::Process;

namespace {

constexpr uint64_t kMostPatienceNs = 30'000'000'000;  // for an archive to be written before the program may end

char command[PATH_MAX] = "";

// Variables that decide how the digest looks and what it proposes: `epk recover` writes it by the same rules as the
// program itself. Their values are names of locales, numbers and words; longer ones are left out.
constexpr const char* kHandedOn[] = {"LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", kAnalysedByRunner};
constexpr size_t kMostHandedOn = sizeof kHandedOn / sizeof *kHandedOn;
char handed_on[kMostHandedOn][NAME_MAX] = {};  // NAME=VALUE, or empty

// NAME=PATH of the record in which `epk run` reads about archives; empty: `epk run` did not start the program.
char runner_record[sizeof kRunnerRecord + PATH_MAX] = "";

// The bare system call: libc's sigaction is wrapped for the program.
void Ignore(int signal) {
  const uint64_t action[4] = {reinterpret_cast<uint64_t>(SIG_IGN), 0, 0, 0};
  base::SystemCall(SYS_rt_sigaction, signal, action, nullptr, sizeof action[0]);
}

// Runs in a copy of the process until it execs: nothing but system calls.
int ExecRecover(int wait_for, int announce) {
  setsid();  // not part of what a launcher or a terminal may be killing right now
  char wait_text[16];
  std::snprintf(wait_text, sizeof wait_text, "%d", wait_for);
  // Keeps only this process's ends of the pipes, and closes all files of the program. Readers of the program's output
  // wait until it is closed, and must not wait for us.
  const int kept = announce >= 0 ? announce : wait_for;
  fcntl(kept, F_SETFD, 0);
  const bool may_speak = base::IsPeoples(STDERR_FILENO);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO && null >= 0; ++fd) {
    if (fd != null && (fd != STDERR_FILENO || !may_speak)) dup2(null, fd);
  }
  if (kept > STDERR_FILENO + 1) base::SystemCall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
  base::SystemCall(SYS_close_range, kept + 1, ~0u, 0);
  Ignore(SIGXFSZ);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const char* arguments[] = {command, "recover", "--ended", "--wait-for", wait_text, "--", episode::UnfinishedArchive(),
                             nullptr};
  const char* environment[2 + kMostHandedOn + 1 + 1] = {"PATH=/usr/bin:/bin", "EPK_ENABLED=no"};
  size_t variables = 2;
  for (const auto& variable : handed_on) {
    if (variable[0] != '\0') environment[variables++] = variable;
  }
  if (runner_record[0] != '\0') environment[variables++] = runner_record;
  execve(command, const_cast<char**>(arguments), const_cast<char**>(environment));
  return 127;
}

// Starts the helper so that it is no child of the program, and no wait() of the program sees it. `announce` is a pipe
// end that closes when the helper is done; the helper reads from `wait_for` before it begins.
bool StartRecover(int wait_for, int announce) {
  if (command[0] == '\0' || episode::UnfinishedArchive()[0] == '\0' || !base::IsSameWorld()) return false;
  // No exit signal: neither wait() nor a SIGCHLD handler of the program ever meets the one in the middle.
  const pid_t middle = static_cast<pid_t>(base::SystemCall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (middle < 0) return false;
  if (middle == 0) {
    const pid_t helper = static_cast<pid_t>(base::SystemCall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (helper == 0) base::SystemCall(SYS_exit_group, ExecRecover(wait_for, announce));
    base::SystemCall(SYS_exit_group, helper < 0 ? 1 : 0);
  }
  int status = 0;
  while (waitpid(middle, &status, __WALL) < 0 && errno == EINTR) {
  }
  return true;
}

// Closes by bare system calls: libc's close is a point of cancellation, and would make the program's exec one, too.
void ClosePipe(const int ends[2]) {
  for (int i = 0; i < 2; ++i) {
    if (ends[i] >= 0) base::SystemCall(SYS_close, ends[i]);
  }
}

// The program may have closed or redirected 0 to 2; our pipes must not take their places. Returns false if it
// cannot make a pipe.
bool MakePipe(int ends[2]) {
  int raw[2];
  if (pipe2(raw, O_CLOEXEC) != 0) return false;
  for (int i = 0; i < 2; ++i) ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
  ClosePipe(raw);
  if (ends[0] >= 0 && ends[1] >= 0) return true;
  ClosePipe(ends);
  return false;
}

void Stop(Ending ending, int value) {
  episode::ReadEfforts();
  Process()->end_ticks = base::Now();
  Process()->ending = ending;
  Process()->ending_value = value;
  const uint32_t other = 1 - (Process()->pair_index & 1);
  Process()->pair[other] = base::ReadClockPair();
  Process()->pair_index = other;
  // `epk recover` of a job waits for all processes that are not in this state.
  Process()->state = event::ProcessState::kDone;
}

}  // namespace

namespace {

void KeepVariables() {
  const char* record = getenv(kRunnerRecord);
  if (record != nullptr && std::strlen(record) < PATH_MAX) {
    std::snprintf(runner_record, sizeof runner_record, "%s=%s", kRunnerRecord, record);
  }
  for (size_t i = 0; i < kMostHandedOn; ++i) {
    const char* value = getenv(kHandedOn[i]);
    if (value == nullptr) continue;
    const int length = std::snprintf(handed_on[i], sizeof handed_on[i], "%s=%s", kHandedOn[i], value);
    if (length >= static_cast<int>(sizeof handed_on[i])) handed_on[i][0] = '\0';
  }
}

void Prepare(const episode::Options&) {
  KeepVariables();
  char path[PATH_MAX], real[PATH_MAX];
  if (!base::PathBesideUs("../bin/epk", path, sizeof path)) return;
  if (realpath(path, real) != nullptr && access(real, X_OK) == 0) std::snprintf(command, sizeof command, "%s", real);
}

// Whether `epk run` makes the archive of this job when the launcher has ended: it holds a lock on its record. Launchers
// of MPI kill all ranks when one has left. A rank that waits for a helper would be killed though it was about to exit,
// and the job would have another exit status than without measurement.
bool IsForRunner() {
  if (Process()->ranks < 2 || runner_record[0] == '\0') return false;
  const int fd = open(runner_record + sizeof kRunnerRecord, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  const bool lives = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return lives;
}

// Waits until the helper closes its end. Handlers of the program's signals may run meanwhile, and each of them
// interrupts a poll.
void AwaitHelper(int end) {
  constexpr uint64_t kNsPerMs = 1'000'000;
  const uint64_t until = base::MonotonicRawNs() + kMostPatienceNs;
  for (uint64_t now = base::MonotonicRawNs(); now < until; now = base::MonotonicRawNs()) {
    pollfd closed{end, POLLIN, 0};
    const int left_ms = static_cast<int>((until - now) / kNsPerMs) + 1;
    if (poll(&closed, 1, left_ms) >= 0 || errno != EINTR) return;
  }
}

// False: this process has no measurement to end.
bool StopAndRecover(Ending ending, int value) {
  if (!episode::BeginRescue()) return false;
  Stop(ending, value);
  int ends[2];
  if (!IsForRunner() && MakePipe(ends)) {
    const bool started = StartRecover(-1, ends[1]);
    close(ends[1]);
    if (started) AwaitHelper(ends[0]);
    close(ends[0]);
  }
  episode::EndRescue();
  return true;
}

}  // namespace

void Rescue(Ending ending, int value) {
  const int saved_errno = errno;
  if (episode::CurrentStage() != episode::Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid())) {
    episode::AwaitEnd();
    errno = saved_errno;
    return;
  }
  struct End {
    Ending ending;
    int value;
    bool is_ours;
  } end{ending, value, false};
  base::CallOnOwnStack(
      base::OwnStack::kEnd,
      [](void* argument) {
        auto* one = static_cast<End*>(argument);
        one->is_ours = StopAndRecover(one->ending, one->value);
      },
      &end);
  if (!end.is_ours) episode::AwaitEnd();
  errno = saved_errno;
}

RescueOnExec::RescueOnExec() {
  if (episode::CurrentStage() != episode::Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid())) return;
  if (!MakePipe(ends_)) return;
  waits_ = true;
  Process()->ending = Ending::kExec;
  base::CallOnOwnStack(
      base::OwnStack::kEnd, [](void* wait_for) { StartRecover(*static_cast<int*>(wait_for), -1); }, &ends_[0]);
}

RescueOnExec::~RescueOnExec() {
  if (!waits_) return;
  const int saved_errno = errno;
  Process()->ending = Ending::kNone;
  base::SystemCall(SYS_write, ends_[1], "n", 1);
  ClosePipe(ends_);
  errno = saved_errno;
}

const episode::Part rescue_part = {.name = "rescue", .start = Prepare};

}  // namespace epik::endings
