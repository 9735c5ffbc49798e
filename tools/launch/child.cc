// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/child.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace epik::launch {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

// Signals are taken by sigwaitinfo, so none is lost between fork and wait, and no handler is needed.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    for (int number : kForwarded) sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    // Some parents ignore SIGCHLD; then there would be nothing to wait for.
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &child_action_);
  }
  ~Signals() { Restore(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // In the child: restores the signals as they were before us.
  void Restore() const {
    sigaction(SIGCHLD, &child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  int Wait(siginfo_t& info) const { return sigwaitinfo(&set_, &info); }

 private:
  sigset_t set_;
  sigset_t before_;
  struct sigaction child_action_ = {};
};

// An error number that the child writes and we read. It is memory that both have, because a pipe needs two descriptors,
// and the user's limit may leave none.
class SharedError {
 public:
  SharedError() : page_(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedError() {
    if (IsThere()) munmap(page_, sizeof(int));
  }
  SharedError(const SharedError&) = delete;
  SharedError& operator=(const SharedError&) = delete;

  bool IsThere() const { return page_ != MAP_FAILED; }
  int& Number() const { return *static_cast<int*>(page_); }

 private:
  void* page_;  // 0 at first
};

[[noreturn]] void Become(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& environment, int& error,
                         pid_t parent) {
  // If SIGKILL ends us, we can hand no signal on.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  error = errno;
  _exit(error != ENOENT ? 126 : 127);
}

Ending Await(pid_t child, const Signals& signals) {
  Ending ending;
  while (true) {
    int status = 0;
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) {
      ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
      ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      return ending;
    }
    if (done < 0 && errno != EINTR) return ending;
    siginfo_t info;
    const int number = signals.Wait(info);
    // Signals of the terminal (SI_KERNEL) reach every process of the group without us.
    if (number > 0 && number != SIGCHLD && info.si_code <= 0) kill(child, number);
  }
}

}  // namespace

Ending RunChild(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& environment) {
  const SharedError error;
  if (!error.IsThere()) return {126, 0, errno};
  const Signals signals;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return {126, 0, errno};
  if (child == 0) {
    signals.Restore();
    Become(command, environment, error.Number(), parent);
  }
  Ending ending = Await(child, signals);
  ending.pid = child;
  ending.error = error.Number();
  return ending;
}

int EndLike(const Ending& ending) {
  if (ending.signal == 0) return ending.status;
  // The program has left its core file; ours would overwrite it.
  prctl(PR_SET_DUMPABLE, 0);
  std::signal(ending.signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, ending.signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(ending.signal);
  return 128 + ending.signal;  // a signal that does not kill
}

}  // namespace epik::launch
