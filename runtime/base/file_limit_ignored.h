// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_
#define EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_

#include <signal.h>
#include <time.h>

namespace epik::base {

// While it lives, a write beyond RLIMIT_FSIZE is an error for us, and no SIGXFSZ for the program.
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
    // Takes the signal even if the caller blocks all signals: otherwise it would come when the caller unblocks them.
    if (!is_programs_) sigtimedwait(&set_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitIgnored(const FileLimitIgnored&) = delete;
  FileLimitIgnored& operator=(const FileLimitIgnored&) = delete;

 private:
  sigset_t set_, before_;
  bool is_programs_;  // a signal of the program's was pending before
};

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_
