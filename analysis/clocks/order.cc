// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/clocks/order.h"

#include <algorithm>

namespace epik::clocks {

using replay::kNone;
using replay::Member;
using replay::Role;

namespace {

// Between two groups, the times of an operation tell whether a member needed its own group. So they prove nothing about
// clocks.
bool IsOfOwnGroup(const replay::Collective& collective, const Member& member) {
  if (collective.first_remote == kNone || IsManagement(collective.operation.role)) return false;
  const size_t number = static_cast<size_t>(&member - collective.members.data());
  return (number < collective.first_remote) == (member.last < collective.first_remote);
}

}  // namespace

void Order::Matched(const replay::Message& message) {
  const Moment sent{message.send.location, message.send.at}, received{message.receive.location, message.receive.at};
  Follows(Kind::kMessage, {&sent, 1}, {&received, 1});
}

void Order::Met(const replay::Collective& collective) {
  const Role role = collective.operation.role;
  if (role == Role::kFinalize) return;  // by definition it lasts until all ranks have come
  const bool together = collective.first_remote == kNone && (role == Role::kBarrier || role == Role::kAllToAll ||
                                                             role == Role::kInit || role == Role::kAllToOne);
  const bool is_sparse = role == Role::kNeighbours;
  before_.clear();
  after_.clear();
  for (const Member& member : collective.members) {
    if (!member.there) continue;
    const bool gives = role == Role::kBarrier || role == Role::kInit || member.out != 0;
    const bool is_receiver = role == Role::kAllToOne && member.rank == collective.root;
    if (member.knows_begin && gives && !is_receiver) before_.push_back({member.location, member.begin});
    if (!member.needs || member.cut) continue;
    const Moment end{member.location, member.end};
    if (together || (is_sparse && collective.first_remote == kNone && member.GetsFromAll())) {
      after_.push_back(end);
    } else if (member.knows_ready && member.last != kNone && !IsOfOwnGroup(collective, member)) {
      FollowsLast(collective, member, end);
    }
  }
  if (!before_.empty() && !after_.empty()) Follows(Kind::kCollective, before_, after_);
}

// The member that began last may be another one when clocks are right. So all count that a neighbour gets data from.
void Order::FollowsLast(const replay::Collective& collective, const Member& member, const Moment& end) {
  sources_.clear();
  const auto add = [&](uint32_t number) {
    sources_.push_back({collective.members[number].location, collective.members[number].begin});
  };
  if (collective.operation.role == Role::kNeighbours && !member.sources.empty()) {
    for (const uint32_t source : member.sources) add(source);
  } else {
    add(member.last);
  }
  Follows(Kind::kCollective, sources_, {&end, 1});
}

void Order::Gathered(const replay::Gathering& barrier) {
  before_.clear();
  after_.clear();
  for (const auto& member : barrier.members) {
    if (member.knows_enter) before_.push_back({member.location, member.enter});
    after_.push_back({member.location, member.leave});
  }
  if (!before_.empty()) Follows(Kind::kTeam, before_, after_);
}

void Order::Acquired(const replay::Acquisition& acquisition) {
  const Moment freed{acquisition.holder, acquisition.freed}, had{acquisition.call.location, acquisition.call.leave};
  Follows(Kind::kTeam, {&freed, 1}, {&had, 1});
}

// MPI_Win_wait returns when all have called MPI_Win_complete. No other order of one-sided communication is certain:
// MPI_Win_complete may return before the target's MPI_Win_post, a fence need not be a barrier, and only clocks tell
// which rank had a lock first.
void Order::Synchronised(const replay::WindowWait& wait) {
  if (wait.why != replay::WindowWait::Why::kComplete) return;
  before_.clear();
  for (const replay::Call& needed : wait.needed) before_.push_back({needed.location, needed.enter});
  const Moment end{wait.call.location, wait.call.leave};
  if (!before_.empty()) Follows(Kind::kWindow, before_, {&end, 1});
}

void Order::Forked(uint32_t location, uint64_t team, int64_t ns) {
  if (forks_.size() >= kMostForks) forks_.erase(forks_.begin());
  forks_[{ProcessOf(location), team}] = {location, ns};
}

void Order::Joined(uint32_t location, uint64_t team) {
  joined_.emplace_back(ProcessOf(location), team);
  if (joined_.size() <= kJoinedKept) return;
  forks_.erase(joined_.front());
  joined_.pop_front();
}

void Order::Began(uint32_t location, uint64_t team, int64_t ns) {
  const auto fork = forks_.find({ProcessOf(location), team});
  if (fork == forks_.end() || fork->second.location == location) return;
  const Moment begun{location, ns};
  Follows(Kind::kTeam, {&fork->second, 1}, {&begun, 1});
}

void Violations::Follows(Kind kind, std::span<const Moment> before, std::span<const Moment> after) {
  int64_t latest = INT64_MIN;
  for (const Moment& moment : before) latest = std::max(latest, moment.ns);
  for (const Moment& moment : after) {
    if (moment.ns >= latest) continue;
    ++count_[static_cast<size_t>(kind)];
    worst_ns_ = std::max(worst_ns_, latest - moment.ns);
  }
}

}  // namespace epik::clocks
