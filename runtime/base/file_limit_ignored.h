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
  }
  ~FileLimitIgnored() {
    const timespec now{0, 0};
    if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&set_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitIgnored(const FileLimitIgnored&) = delete;
  FileLimitIgnored& operator=(const FileLimitIgnored&) = delete;

 private:
  sigset_t set_, before_;
};

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_FILE_LIMIT_IGNORED_H_
