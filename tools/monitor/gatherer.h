// SPDX-License-Identifier: BSD-3-Clause
// The parts that processes had in collective calls, put together: who came last, how late, and what the others waited.
// A part that never comes (it was overwritten, or its process is elsewhere) leaves its call unknown, and counted.
#ifndef EPIK_TOOLS_MONITOR_GATHERER_H_
#define EPIK_TOOLS_MONITOR_GATHERER_H_

#include <compare>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/monitor/running.h"

namespace epik::monitor {

// What one process did in one call. Times are seconds of one clock.
struct Part {
  uint64_t communicator = 0;  // the same in all processes
  uint32_t sequence = 0;
  int32_t rank = -1;
  uint32_t thread = 0;
  uint32_t path = 0;  // by number, the same for all processes
  double entered = 0, left = 0;
};

// How often a rank came last to the calls of a call path, and how long before that the others came, on average.
struct LastArrival {
  uint64_t communicator = 0;
  uint32_t path = 0;
  int32_t rank = -1;
  uint64_t count = 0;
  double share = 0;
  double late = 0;  // seconds
};

// Of the calls of one thread at one call path.
struct Wrapper {
  Running total;      // from its enter to its exit
  Running arrival;    // from its enter to the last one's
  Running departure;  // from the first one's exit to its own
};
struct WrapperKey {
  uint32_t path;
  int32_t rank;
  uint32_t thread;
  auto operator<=>(const WrapperKey&) const = default;
};

class Gatherer {
 public:
  // A communicator of so many processes. Calls of one that was not defined are not put together.
  void Define(uint64_t communicator, uint32_t size);
  void Add(const Part& part);

  // What was put together since the last time; first what cost the others most.
  std::vector<LastArrival> TakeLastArrivals();
  // Seconds that all processes waited for the last ones since the last time.
  double TakeWaited();

  const std::map<WrapperKey, Wrapper>& wrappers() const { return wrappers_; }
  uint64_t gathered() const { return gathered_; }      // calls of which all parts came
  uint64_t incomplete() const { return incomplete_; }  // given up

 private:
  struct Meeting {
    std::vector<Part> parts;
  };
  struct Communicator {
    uint32_t size = 0;
    std::map<uint32_t, Meeting> open;  // by sequence
  };
  struct Arrivals {
    uint64_t calls = 0;
    std::map<int32_t, std::pair<uint64_t, double>> last;  // by rank: how often, and how late in all
  };

  void Complete(uint64_t id, const Meeting& meeting);

  std::unordered_map<uint64_t, Communicator> communicators_;
  std::map<std::pair<uint64_t, uint32_t>, Arrivals> arrivals_;  // by communicator and path
  std::map<WrapperKey, Wrapper> wrappers_;
  double waited_ = 0;
  uint64_t gathered_ = 0, incomplete_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_GATHERER_H_
