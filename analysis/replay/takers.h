// SPDX-License-Identifier: BSD-3-Clause
// Finds processes that a part of a collective operation may have waited for although it needs no data of them: they
// take its data, or data comes by way of them. A process counts if it began after all that the part needs, and before
// the part ended. But MPIs keep little data until somebody takes it. So once a part ended before the other process
// began, no operation of that kind that is not larger waits for that process.
#ifndef EPIK_ANALYSIS_REPLAY_TAKERS_H_
#define EPIK_ANALYSIS_REPLAY_TAKERS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/replay/facts.h"
#include "analysis/replay/largest.h"

namespace epik::replay {

// Whether data of one member may go to the other one, or come from it. It may go by way of processes that give none and
// take none, except among neighbours.
inline bool MayExchange(const Collective& collective, uint32_t number, uint32_t other) {
  if (collective.operation.role != Role::kNeighbours) return other != number;
  return collective.Takes(number, other) || collective.Takes(other, number);
}

// The time since which a member waited only for those that it needs no data of, if it waited for anybody.
inline int64_t HasAllSince(const Member& member) {
  const int64_t asked = member.immediate ? member.completed_by.enter : member.begin;
  return member.needs && member.knows_ready ? std::max(asked, member.ready) : asked;
}

class Takers {
 public:
  // Calls use(member, other) with numbers of members, for the last ones that began before the member ended.
  template <typename Use>
  void ForEach(const Collective& collective, const Use& use) {
    if (!Order(collective)) return;
    const std::vector<Member>& members = collective.members;
    for (uint32_t m = 0; m < members.size(); ++m) {
      const Member& mine = members[m];
      if (!mine.there || !mine.knows_begin) continue;
      const auto after = std::lower_bound(order_.begin(), order_.end(), mine.end,
                                          [&](uint32_t other, int64_t end) { return members[other].begin < end; });
      for (auto at = after; at != order_.end() && at - after < kMostAsked; ++at) {
        if (MayExchange(collective, m, *at)) alone_.Add(TransferOf(collective, m, *at));
      }
      for (auto at = after; at != order_.begin() && after - at < kMostAsked;) {
        --at;
        if (members[*at].begin <= HasAllSince(mine)) break;
        if (MayExchange(collective, m, *at) && !alone_.Contains(TransferOf(collective, m, *at))) use(m, *at);
      }
    }
  }

 private:
  static constexpr ptrdiff_t kMostAsked = 8;  // members that began shortly before and after the end of a part

  static Transfer TransferOf(const Collective& collective, uint32_t number, uint32_t other) {
    const Member& mine = collective.members[number];
    return {mine.location,   collective.members[other].location, collective.operation.role,
            Mode::kStandard, std::max(mine.out, mine.in),        collective.root};
  }

  // Puts members in the order in which they began. Returns false when all of them needed the last one, or no data
  // moves.
  bool Order(const Collective& collective) {
    order_.clear();
    if (collective.operation.role < Role::kAllToAll || collective.operation.role > Role::kNeighbours) return false;
    int64_t latest = INT64_MIN;
    for (uint32_t m = 0; m < collective.members.size(); ++m) {
      const Member& member = collective.members[m];
      if (!member.there || !member.knows_begin) continue;
      latest = std::max(latest, member.begin);
      order_.push_back(m);
    }
    const bool all_need_it = std::all_of(order_.begin(), order_.end(), [&](uint32_t m) {
      const Member& member = collective.members[m];
      return member.needs && member.knows_ready && member.ready >= latest;
    });
    if (all_need_it) return false;
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t one, uint32_t other) {
      return collective.members[one].begin < collective.members[other].begin;
    });
    return true;
  }

  Largest alone_;                // operations that went on without the other process
  std::vector<uint32_t> order_;  // scratch
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TAKERS_H_
