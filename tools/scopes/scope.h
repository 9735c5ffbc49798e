// SPDX-License-Identifier: BSD-3-Clause
// One scope at one station of its tree. It combines parts from arenas and from stations below as far as possible, and
// passes the others up.
#ifndef EPIK_TOOLS_SCOPES_SCOPE_H_
#define EPIK_TOOLS_SCOPES_SCOPE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/scopes/description.h"
#include "tools/scopes/gatherer.h"
#include "tools/scopes/links.h"
#include "tools/scopes/rows.h"
#include "tools/scopes/standing.h"

namespace epik::scopes {

class Scope {
 public:
  explicit Scope(const Description& description)
      : description_(description), gatherer_(description.reduce != Reduce::kLast) {}

  const Description& description() const { return description_; }
  void Define(uint64_t communicator, uint32_t size) { gatherer_.Define(communicator, size); }
  void ClocksDiffer() { gatherer_.ClocksDiffer(); }

  // Adds a part of this host. `names_match`: the result of NamesMatch for its names.
  void Add(const Part& part, const std::vector<LinkNote>& links, bool names_match);
  // Adds what a process of this host did since the reading before, and where it is now.
  void Add(int process, const Work& work, const StandingRow& standing);
  // The job computes the statistics of this scope itself, so only the last processes of its calls are needed.
  bool TakesComputed() const {
    return description_.source == Source::kCalls && description_.reduce == Reduce::kStatistics &&
           description_.where.empty();
  }
  void UseComputed() { uses_computed_ = TakesComputed(); }
  void Add(const ComputedRow& row) { rows_.computed.push_back(row); }
  void AddComputed(double waited, uint64_t unknown) {
    rows_.waited += waited;
    rows_.unknown += unknown;
  }
  // Adds rows from below, in this station's numbers and clock.
  void Add(const Rows& rows);

  // Takes the new rows. `at_root`: nobody above sees more, so calls that are not complete wait here.
  Rows Take(bool at_root);
  void GiveUp() { gatherer_.GiveUp(); }

 private:
  struct Worker {
    Work work;  // since the rows were last taken
    StandingRow standing;
  };

  Description description_;
  std::map<int, Worker> workers_;  // by process
  Gatherer gatherer_;
  Links links_;
  Standings standings_;
  Rows rows_;
  bool uses_computed_ = false;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_SCOPE_H_
