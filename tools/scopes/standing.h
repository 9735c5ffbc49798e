// SPDX-License-Identifier: BSD-3-Clause
// Processes that stand still in a call of MPI at the moment of a reading, and the place of the others meanwhile: this
// names the process that a job waits for before its call has ended, and while it hangs.
#ifndef EPIK_TOOLS_SCOPES_STANDING_H_
#define EPIK_TOOLS_SCOPES_STANDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/image/process_image.h"
#include "tools/scopes/rows.h"

namespace epik::scopes {

// Time in which a process does not work, but waits for others or is measured.
bool IsWaiting(const archive::ProcessImage& image, event::Key key);

// The place of a process: of a thread that works; if none does, of the thread that entered MPI last; else of its first
// one.
struct Whereabouts {
  uint32_t thread = 0;  // its number
  uint32_t line = 0;    // of its node in the arena
  event::Key key = 0;
  uint64_t entered = 0;  // ticks
  bool in_mpi = false;
};

// False: no thread is in a call.
bool FindPlace(const archive::ProcessImage& image, Whereabouts* place);

// Rows of many processes: those of one call path are one row.
class Standings {
 public:
  void Add(const StandingRow& row);
  // Appends the rows and forgets them: calls that processes stand in, those that have stood longest first; then where
  // others are, the lowest rank first. The rows of others are no more than kMostOthers.
  void Take(std::vector<StandingRow>* rows);

  static constexpr size_t kMostOthers = 16;
  static constexpr size_t kMostCalls = 64;

 private:
  std::vector<StandingRow> calls_, others_;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_STANDING_H_
