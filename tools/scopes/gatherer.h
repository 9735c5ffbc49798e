// SPDX-License-Identifier: BSD-3-Clause
// The parts that processes had in collective calls, put together: who came last, how late, and what the others waited.
// A part that never comes (it was overwritten, or its process is elsewhere) leaves its call unknown, and counted.
#ifndef EPIK_TOOLS_SCOPES_GATHERER_H_
#define EPIK_TOOLS_SCOPES_GATHERER_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/scopes/rows.h"

namespace epik::scopes {

class Gatherer {
 public:
  // keeps_parts: for the statistics of each thread. Without that only the last ones are known, and a call takes the
  // same room whatever its number of processes.
  explicit Gatherer(bool keeps_parts = true) : keeps_parts_(keeps_parts) {}

  // A communicator of so many processes. Calls of one that was not defined are not put together.
  void Define(uint64_t communicator, uint32_t size);
  void Add(const Part& part);
  void Add(const Meeting& meeting);

  // Adds what was put together since the last time to the rows.
  void Take(Rows* rows);
  // Moves the calls that lack parts there, for somebody who sees more processes.
  void TakeOpen(Rows* rows);
  // A host was lost, so calls that are not complete now never will be.
  void GiveUp();

 private:
  struct Call {
    Meeting meeting;
    std::vector<Part> parts;
  };
  struct Communicator {
    uint32_t size = 0;
    std::map<uint32_t, Call> open;  // by sequence
  };
  struct Wrapper {
    Running total, arrival, departure;
  };

  Communicator* Find(uint64_t id);
  void Check(uint64_t id, Communicator* communicator, std::map<uint32_t, Call>::iterator call);
  void Complete(uint64_t id, const Call& call);

  bool keeps_parts_;
  std::unordered_map<uint64_t, Communicator> communicators_;
  // By communicator, path, rank: how often, and how late in all.
  std::map<std::tuple<uint64_t, uint32_t, int32_t>, std::pair<uint64_t, double>> arrivals_;
  std::map<WrapperKey, Wrapper> wrappers_;
  double waited_ = 0;
  uint64_t gathered_ = 0, incomplete_ = 0;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_GATHERER_H_
