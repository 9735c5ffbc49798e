// SPDX-License-Identifier: BSD-3-Clause
// Repairs clocks by a controlled logical clock: an event that seems to happen too early is moved behind the event that
// it depends on, by the least time that messages take between their hosts. From there on the location's clock is ahead,
// and runs a little slower until it is right again. The time before the event is stretched, so that it does not jump.
// Events that others depend on are not moved behind those others.
#ifndef EPIK_ANALYSIS_CLOCKS_REPAIR_H_
#define EPIK_ANALYSIS_CLOCKS_REPAIR_H_

#include <map>
#include <utility>
#include <vector>

#include "analysis/clocks/corrections.h"
#include "analysis/clocks/order.h"
#include "archive/files/time_limit.h"

namespace epik::clocks {

class Repair : public Order {
 public:
  explicit Repair(const replay::World* world) : Order(world), moments_(world->locations.size()) {}

  // Call it once, after the replay.
  Corrections Find(const archive::TimeLimit& limit = {});
  // The least time that a message takes from one host to another, estimated from messages in both directions; call it
  // before Find.
  int64_t Latency(uint32_t from_host, uint32_t to_host) const;

 protected:
  void Follows(Kind kind, std::span<const Moment> before, std::span<const Moment> after) override;

 private:
  // An event that must come before or after another one.
  struct Event {
    int64_t measured, corrected;
    uint32_t tie;
    bool after;
  };
  struct Tie {
    uint32_t from_host, to_host;  // of a message
    uint32_t missing;             // of those before it
    Kind kind;
    bool broken = false;           // the dependence is in a circle
    int64_t latest = INT64_MIN;    // corrected, of those before it
    int64_t earliest = INT64_MAX;  // corrected, of those after it
  };
  struct Run;  // of one location, forwards

  void Forward(archive::TimedSteps* steps);
  void Amortise(std::vector<Event>* events, std::vector<Knot>* knots, archive::TimedSteps* steps) const;
  int64_t LatencyOf(const Tie& tie) const {
    return tie.kind == Kind::kMessage ? Latency(tie.from_host, tie.to_host) : 0;
  }

  std::vector<std::vector<Event>> moments_;
  std::vector<Tie> ties_;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> least_;  // by hosts: from when a message was sent until it was there
};

}  // namespace epik::clocks

#endif  // EPIK_ANALYSIS_CLOCKS_REPAIR_H_
