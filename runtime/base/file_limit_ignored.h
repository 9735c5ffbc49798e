// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_
#define EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_

#include <signal.h>
#include <time.h>

namespace epik::base {

// A file beyond RLIMIT_FSIZE is an error of ours, not a signal to the program.
class FileLimitIgnored {
 public:
  FileLimitIgnored() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
    sigset_t pending;
    sigpending(&pending);
    is_programs_ = sigismember(&pending, SIGXFSZ) == 1;
  }
  ~FileLimitIgnored() {
    const timespec now{0, 0};
    // Also where all signals are blocked already: it would come when they are not any more.
    if (!is_programs_) sigtimedwait(&set_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitIgnored(const FileLimitIgnored&) = delete;
  FileLimitIgnored& operator=(const FileLimitIgnored&) = delete;

 private:
  sigset_t set_, before_;
  bool is_programs_;  // one that was waiting before
};

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_
