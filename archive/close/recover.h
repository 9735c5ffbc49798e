// SPDX-License-Identifier: BSD-3-Clause
// From what a killed process left behind to a normal archive. Idempotent, and on any machine that sees the files.
#ifndef EPIK_ARCHIVE_CLOSE_RECOVER_H_
#define EPIK_ARCHIVE_CLOSE_RECOVER_H_

#include <string>
#include <vector>

#include "archive/close/write_archive.h"

namespace epik::archive {

struct RecoverOptions {
  bool live = false;    // a snapshot of processes that still run; their files stay as they are
  bool ended = false;   // the caller knows that the process is about to end, although it is still there
  int signal = 0;       // what ended it, when the caller knows; 0: not known
  bool dead = false;    // the user knows that the processes have ended
  bool theirs = false;  // whatever user the archive belongs to
};

enum class Recovered {
  kYes,
  kNothing,  // it held no call: it is removed
  kAlreadyComplete,
  kStillRunning,
  kFailed
};

// The folder `epik_….unfinished`. What went wrong, and what to do about it, is in *error.
Recovered Recover(const std::string& unfinished, const RecoverOptions& options, WriteResult* result,
                  std::string* error);

// Unfinished archives in a folder: of one process, or of any (pid 0).
std::vector<std::string> FindUnfinished(const std::string& folder, int pid);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_RECOVER_H_
