// SPDX-License-Identifier: BSD-3-Clause
// Endings that leave no time for an archive: this process notes the ending in the arena, and another process writes the
// archive.
//
// Everything here is async-signal-safe. If no `epk` is beside the library, the arena stays for `epk recover`.
#ifndef EPIK_RUNTIME_ENDINGS_RESCUE_H_
#define EPIK_RUNTIME_ENDINGS_RESCUE_H_

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::endings {

// The process is about to end: measurement stops here, and `epk recover` writes the archive while we wait for it. The
// archive of a job is left to `epk run`, if that waits for the job.
void Rescue(event::Ending ending, int value);

// The program may be replaced by another one. If the exec fails, the destructor undoes everything.
class RescueOnExec {
 public:
  RescueOnExec();
  ~RescueOnExec();  // the exec failed: measurement goes on
  RescueOnExec(const RescueOnExec&) = delete;
  RescueOnExec& operator=(const RescueOnExec&) = delete;

 private:
  bool waits_ = false;  // a helper waits at its copy of the pipe's first end, for a word or for the exec
  // We keep both ends: if there is no helper, the word would raise SIGPIPE in the program.
  int ends_[2];
};

extern const episode::Part rescue_part;  // finds `epk` while there is time

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_RESCUE_H_
