// SPDX-License-Identifier: BSD-3-Clause
// Tells which events cannot have been before which others, whatever the clocks say. A receive comes after its send, the
// end of a collective operation or barrier after all begins that it needs, a lock after its release, a part of a team
// after the team was made, and the end of an exposure epoch after the ends of all accesses.
#ifndef EPIK_ANALYSIS_CLOCKS_ORDER_H_
#define EPIK_ANALYSIS_CLOCKS_ORDER_H_

#include <deque>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "analysis/replay/observer.h"
#include "analysis/replay/world.h"

namespace epik::clocks {

enum class Kind : uint8_t { kMessage, kCollective, kTeam, kWindow };
inline constexpr size_t kKinds = 4;

struct Moment {
  uint32_t location;
  int64_t ns;
};

class Order : public replay::Observer {
 public:
  explicit Order(const replay::World* world) : world_(*world) {}
  unsigned wants() const override { return kMatched | kCollectives | kTeams | kThreads | kWindows; }
  void Matched(const replay::Message& message) override;
  void Met(const replay::Collective& collective) override;
  void Gathered(const replay::Gathering& barrier) override;
  void Acquired(const replay::Acquisition& acquisition) override;
  void Synchronised(const replay::WindowWait& wait) override;
  void Forked(uint32_t location, uint64_t team, int64_t ns) override;
  void Began(uint32_t location, uint64_t team, int64_t ns) override;
  void Joined(uint32_t location, uint64_t team) override;

 protected:
  // Each of `after` comes after all of `before`.
  virtual void Follows(Kind kind, std::span<const Moment> before, std::span<const Moment> after) = 0;
  uint32_t ProcessOf(uint32_t location) const { return world_.locations[location].process; }
  uint32_t HostOf(uint32_t location) const { return world_.processes[ProcessOf(location)].host; }

 private:
  using Team = std::pair<uint32_t, uint64_t>;  // process and number
  // The last joined forks, because replay may come to a join before it comes to all workers; and forks in all, where
  // the trace lacks joins.
  static constexpr size_t kJoinedKept = 4096, kMostForks = size_t{1} << 20;

  void FollowsLast(const replay::Collective& collective, const replay::Member& member, const Moment& end);

  const replay::World& world_;
  std::map<Team, Moment> forks_;
  std::deque<Team> joined_;                       // the oldest first
  std::vector<Moment> before_, after_, sources_;  // scratch
};

// Counts how often measured times contradict that order, and by how much.
class Violations : public Order {
 public:
  using Order::Order;
  uint64_t Of(Kind kind) const { return count_[static_cast<size_t>(kind)]; }
  uint64_t Total() const { return std::accumulate(count_, count_ + kKinds, uint64_t{0}); }
  int64_t worst_ns() const { return worst_ns_; }

 protected:
  void Follows(Kind kind, std::span<const Moment> before, std::span<const Moment> after) override;

 private:
  uint64_t count_[kKinds] = {};
  int64_t worst_ns_ = 0;
};

}  // namespace epik::clocks

#endif  // EPIK_ANALYSIS_CLOCKS_ORDER_H_
