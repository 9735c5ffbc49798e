// SPDX-License-Identifier: BSD-3-Clause
// Puts together the notes of both ends of each link in the trees of EPIK's own collective operations (EPK_COLL_TREE):
// how long a message takes, whose contribution comes last, and where a call's time goes.
#ifndef EPIK_TOOLS_SCOPES_LINKS_H_
#define EPIK_TOOLS_SCOPES_LINKS_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tools/scopes/rows.h"

namespace epik::scopes {

// One end of a link, in one call.
struct LinkNote {
  int32_t peer = -1;   // rank in MPI_COMM_WORLD
  bool is_up = false;  // the peer is the parent
  bool has_received = false, has_sent = false;
  double received = 0, sent = 0;  // seconds of one clock of the process
};

class Links {
 public:
  // Adds a call of one process, with its links.
  void Add(const Part& call, const std::vector<LinkNote>& notes);
  void Add(const HalfLink& half);

  // Adds the results since the last time to the rows.
  void Take(Rows* rows);
  // Moves the ends whose other end did not come to the rows.
  void TakeOpen(Rows* rows);

 private:
  struct Link {
    Running latency, behind;
    uint64_t last = 0;
  };
  struct Stages {
    Running down, onward, up;
  };
  void AddStages(const Part& call, const std::vector<LinkNote>& notes);
  void AddArrivals(const Part& call, const std::vector<LinkNote>& notes);

  std::map<LinkKey, Link> links_;
  std::map<WrapperKey, Stages> stages_;
  // Half of a link in a call, until the other one comes: by communicator, sequence, parent, child.
  std::map<std::tuple<uint64_t, uint32_t, int32_t, int32_t>, HalfLink> open_;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_LINKS_H_
