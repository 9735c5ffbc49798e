// SPDX-License-Identifier: BSD-3-Clause
// Endings that leave no time for an archive: what is known is noted in the arena, and another process writes it.
//
// Everything here is async-signal-safe. Where no `epk` stands beside the library the arena simply stays: `epk recover`.
#ifndef EPIK_RUNTIME_ENDINGS_RESCUE_H_
#define EPIK_RUNTIME_ENDINGS_RESCUE_H_

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// The process is about to end: measurement stops here, and `epk recover` writes the archive while we wait for it.
void Rescue(event::Ending ending, int value);

// The program may be replaced by another one. Returns when that failed: then nothing has happened.
class RescueOnExec {
 public:
  RescueOnExec();
  ~RescueOnExec();  // the exec failed: measurement goes on
  RescueOnExec(const RescueOnExec&) = delete;
  RescueOnExec& operator=(const RescueOnExec&) = delete;

 private:
  int cancel_ = -1;  // the helper waits at the other end of this pipe
};

extern const Part rescue_part;  // finds `epk` while there is time

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_ENDINGS_RESCUE_H_
