// SPDX-License-Identifier: BSD-3-Clause
// Combines the parts that processes had in collective calls: finds which process came last, how late, and how long the
// others waited. If a part never comes (because it was overwritten, or its process is on another host), its call is
// counted as unknown.
#ifndef EPIK_TOOLS_SCOPES_GATHERER_H_
#define EPIK_TOOLS_SCOPES_GATHERER_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/event/collectives.h"
#include "tools/scopes/rows.h"

namespace epik::scopes {

class Gatherer {
 public:
  // keeps_parts: keeps the parts for the statistics of each thread. Without it only the last processes are known, and a
  // call takes the same room for any number of processes.
  explicit Gatherer(bool keeps_parts = true) : keeps_parts_(keeps_parts) {}

  // Defines a communicator of `size` processes. Calls of communicators that were not defined are not combined.
  void Define(uint64_t communicator, uint32_t size);
  void Add(const Part& part);
  void Add(const Meeting& meeting);
  // Some parts are of hosts with other clocks.
  void ClocksDiffer() { clocks_differ_ = true; }

  // Adds the calls that were completed since the last time to the rows.
  void Take(Rows* rows);
  // Moves the calls that lack parts to the rows, for a station that sees more processes.
  void TakeOpen(Rows* rows);
  // A host was lost, so calls that are not complete now never will be.
  void GiveUp();

 private:
  struct Call {
    Meeting meeting;
    std::vector<Part> parts;
  };
  using Calls = std::map<uint32_t, Call>;  // by sequence
  struct Communicator {
    uint32_t size = 0;
    Calls open, persistent;  // calls that lack parts; those of persistent operations have no order

    Calls* At(uint32_t sequence) { return sequence < event::kFirstPersistent ? &open : &persistent; }
  };
  struct Wrapper {
    Running total, arrival, departure;
  };

  Communicator* Find(uint64_t id);
  void Check(uint64_t id, uint32_t size, Calls* calls, Calls::iterator call);
  double WaitOf(const Part& part, double last_entered) const;
  void Complete(uint64_t id, const Call& call);

  bool keeps_parts_, clocks_differ_ = false;
  std::unordered_map<uint64_t, Communicator> communicators_;
  // By communicator, path, rank: how often the rank came last, and how late in all.
  std::map<std::tuple<uint64_t, uint32_t, int32_t>, std::pair<uint64_t, double>> arrivals_;
  std::map<WrapperKey, Wrapper> wrappers_;
  double waited_ = 0;
  uint64_t gathered_ = 0, incomplete_ = 0;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_GATHERER_H_
