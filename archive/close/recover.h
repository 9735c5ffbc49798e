// SPDX-License-Identifier: BSD-3-Clause
// Makes a normal archive from the arenas that a killed process left behind. It may be repeated, and runs on any machine
// that sees the files; another machine than that of the process must be told that it has ended.
#ifndef EPIK_ARCHIVE_CLOSE_RECOVER_H_
#define EPIK_ARCHIVE_CLOSE_RECOVER_H_

#include <string>
#include <vector>

#include "archive/close/write_archive.h"

namespace epik::archive {

struct RecoverOptions {
  bool live = false;   // take a snapshot of processes that still run, and leave their files alone
  bool ended = false;  // the caller knows that the process is ending, although it still exists
  int signal = 0;      // the signal that ended it, if the caller knows; 0: not known
  bool dead = false;   // the user says that the processes have ended
  // The caller knows that the job has ended, so its processes on other machines have, too.
  bool dead_elsewhere = false;
  bool theirs = false;  // recover the archive of any user
};

enum class Recovered {
  kYes,
  kNothing,  // it contained no call and was removed
  kAlreadyComplete,
  kStillRunning,
  kFailed
};

// `unfinished` is a folder `epik_….unfinished`. *error explains the problem, and how to solve it.
Recovered Recover(const std::string& unfinished, const RecoverOptions& options, WriteResult* result,
                  std::string* error);

// Finds the unfinished archives in a folder: those of one process, or all (pid 0).
std::vector<std::string> FindUnfinished(const std::string& folder, int pid);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_RECOVER_H_
