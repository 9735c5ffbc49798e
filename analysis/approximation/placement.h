// SPDX-License-Identifier: BSD-3-Clause
// Predicts how a run changes when its ranks are spread over other hosts: a message between two ranks of one host takes
// another time than one between hosts. Both times are learnt from the messages of the trace that a receiver waited for.
// If all of these are of one class, the user has to give the times of the other class.
#ifndef EPIK_ANALYSIS_APPROXIMATION_PLACEMENT_H_
#define EPIK_ANALYSIS_APPROXIMATION_PLACEMENT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/graph/graph.h"
#include "analysis/replay/world.h"

namespace epik::approximation {

// A class of messages between two ranks: one takes latency + bytes · ns_per_byte.
struct Way {
  double latency_ns = 0, ns_per_byte = 0;
  uint64_t messages = 0;  // messages that this was learnt from; 0: the user gave it
  double Takes(uint64_t bytes) const { return latency_ns + static_cast<double>(bytes) * ns_per_byte; }
};

class Placement {
 public:
  enum Class : uint8_t { kSameHost, kOtherHost };

  // Places rank r on host r / ranks_per_host.
  Placement(const graph::Graph& graph, const replay::World& world, uint32_t ranks_per_host);

  const std::optional<Way>& way(Class between) const { return ways_[between]; }
  void Give(Class between, const Way& way) { ways_[between] = way; }
  // Pairs of ranks that exchanged messages or met in an operation; and those among them that shared a host and then
  // would not, or the other way round.
  uint64_t changed_pairs() const { return changed_pairs_; }
  uint64_t pairs() const { return pairs_; }
  uint32_t hosts() const { return hosts_; }  // after the change
  uint32_t hosts_before() const { return hosts_before_; }
  // Whether the change needs the time of messages of that class.
  bool Needs(Class between) const { return needs_[between]; }

  // Nanoseconds that a message, or an operation, takes longer; negative: that it saves. REQUIRES: all times that Needs
  // asks for are known.
  double MoreForMessage(uint32_t from_location, uint32_t to_location, uint64_t bytes) const;
  double MoreForMeeting(uint32_t meeting, uint64_t bytes) const;

 private:
  // The number of steps of each class in a tree over the members of an operation.
  using Steps = std::array<int, 2>;
  using Samples = std::vector<std::pair<double, double>>;  // bytes, nanoseconds

  Class Before(uint32_t from, uint32_t to) const {
    return host_before_[from] == host_before_[to] ? kSameHost : kOtherHost;
  }
  Class Then(uint32_t from, uint32_t to) const { return host_then_[from] == host_then_[to] ? kSameHost : kOtherHost; }
  void Learn();
  void LookAtMeetings();
  void Change(Class before, Class then);
  Steps StepsOf(const graph::Meeting& meeting, const std::vector<uint32_t>& host_of) const;
  static std::optional<Way> Fit(std::vector<Samples>* by_size);

  const graph::Graph& graph_;
  std::vector<uint32_t> host_before_, host_then_;  // by location
  std::vector<int32_t> rank_;                      // by location
  std::array<std::optional<Way>, 2> ways_;
  std::array<bool, 2> needs_ = {};
  std::unordered_map<uint32_t, Steps> more_steps_;  // for each meeting that changes
  uint64_t pairs_ = 0, changed_pairs_ = 0;
  uint32_t hosts_ = 0, hosts_before_ = 0;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_PLACEMENT_H_
