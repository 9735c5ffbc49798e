// SPDX-License-Identifier: BSD-3-Clause
// What goes over the links of the trees of EPIK's own collective operations (EPK_COLL_TREE), put together from the
// notes of both of their ends: how long a message takes, whose contribution comes last, and where a call's time goes.
#ifndef EPIK_TOOLS_MONITOR_LINKS_H_
#define EPIK_TOOLS_MONITOR_LINKS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tools/monitor/gatherer.h"
#include "tools/monitor/running.h"

namespace epik::monitor {

// One end of a link, in one call.
struct LinkNote {
  int32_t peer = -1;   // rank in MPI_COMM_WORLD
  bool is_up = false;  // the peer is the parent
  bool has_received = false, has_sent = false;
  double received = 0, sent = 0;  // seconds of one clock of the process
};

struct LinkKey {
  uint64_t communicator;
  uint32_t path;  // of the child
  int32_t parent, child;
  auto operator<=>(const LinkKey&) const = default;
};

struct Link {
  Running latency;    // to the parent and back, without the time that the result was not there
  Running behind;     // how long after the first one at the parent its contribution came
  uint64_t last = 0;  // how often it came last there
};

// Of the calls of one thread at one call path: where their time goes.
struct Stages {
  Running down;    // until all that is below has contributed
  Running onward;  // until the result has come from above
  Running up;      // until it has been passed on
};

class Links {
 public:
  // A call with its links, as one process has them.
  void Add(const Part& call, const std::vector<LinkNote>& notes);

  const std::map<LinkKey, Link>& links() const { return links_; }
  const std::map<WrapperKey, Stages>& stages() const { return stages_; }

 private:
  struct Half {
    LinkKey key;
    bool is_child;
    double kept;  // the child: until the result was there. The parent: until it sent the result
  };
  void AddStages(const Part& call, const std::vector<LinkNote>& notes);
  void AddArrivals(const Part& call, const std::vector<LinkNote>& notes);
  void Meet(const Part& call, const LinkNote& note);

  std::map<LinkKey, Link> links_;
  std::map<WrapperKey, Stages> stages_;
  // Half of a link in a call, until the other one comes: by communicator, sequence, parent, child.
  std::map<std::tuple<uint64_t, uint32_t, int32_t, int32_t>, Half> open_;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_LINKS_H_
