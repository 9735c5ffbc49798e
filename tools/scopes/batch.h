// SPDX-License-Identifier: BSD-3-Clause
// A batch that one station hands to the next one up the tree: the rows of all scopes, and what their numbers mean.
#ifndef EPIK_TOOLS_SCOPES_BATCH_H_
#define EPIK_TOOLS_SCOPES_BATCH_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/scopes/rows.h"

namespace epik::scopes {

struct PathName {
  uint32_t number = 0;  // the sender's
  std::string name;
};

struct CommunicatorName {
  uint64_t id = 0;
  uint32_t size = 0;
  std::string name;  // empty: the program gave none
};

// The state of a host, for the station that gathers from it.
struct HostState {
  std::string name;
  uint64_t processes = 0;  // that run
  uint64_t paused = 0;     // of these, those whose measurement is paused as a whole
  uint64_t discarded = 0;  // notes that were overwritten before they were read, so far
  bool has_notes = false;  // processes note their collective calls
  bool has_ended = false;  // its processes have ended
  std::string lost;        // why no data come from it any more; empty: it still answers
};

// Moments of the sender's clock, whatever its scopes read.
struct Times {
  double began = 0;  // when the first process began that it has ever read
  double read = 0;   // when it read the latest process; 0: it could read none

  void Merge(const Times& other) {
    if (other.began != 0 && (began == 0 || other.began < began)) began = other.began;
    read = std::max(read, other.read);
  }
  void Move(double seconds) {
    if (began != 0) began += seconds;
    if (read != 0) read += seconds;
  }
};

struct Batch {
  std::vector<PathName> paths;  // new since the last batch of the same sender
  std::vector<CommunicatorName> communicators;
  std::vector<HostState> hosts;
  std::string program;
  uint32_t ranks = 0;  // of MPI_COMM_WORLD; 0: not known so far
  Times times;
  std::vector<Rows> scopes;
};

std::string PackBatch(const Batch& batch);
// False: the bytes are no batch of this many scopes. Numbers of paths are not checked.
bool UnpackBatch(std::string_view bytes, size_t scopes, Batch* batch);

// Calls visit(number) for the number of each call path in the rows; false as soon as one visit is.
template <class Visit>
bool ForEachPath(Rows* rows, Visit visit) {
  for (Part& row : rows->parts) {
    if (!visit(&row.path)) return false;
  }
  for (Meeting& row : rows->meetings) {
    if (!visit(&row.path)) return false;
  }
  for (LastArrival& row : rows->arrivals) {
    if (!visit(&row.path)) return false;
  }
  for (WrapperRow& row : rows->wrappers) {
    if (!visit(&row.key.path)) return false;
  }
  for (ComputedRow& row : rows->computed) {
    if (!visit(&row.calls.key.path)) return false;
  }
  for (StageRow& row : rows->stages) {
    if (!visit(&row.key.path)) return false;
  }
  for (LinkRow& row : rows->links) {
    if (!visit(&row.key.path)) return false;
  }
  for (HalfLink& row : rows->halves) {
    if (!visit(&row.key.path)) return false;
  }
  for (StandingRow& row : rows->standing) {
    if (!visit(&row.path)) return false;
  }
  return true;
}

// Moves all moments by `seconds`, from the sender's clock to the receiver's.
void MoveTimes(Rows* rows, double seconds);

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_BATCH_H_
