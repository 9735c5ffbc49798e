// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/facts.h"

#include <algorithm>

namespace epik::replay {

namespace {

// Looks at members one after the other and keeps the one that began last.
struct Latest {
  bool known = true;
  int64_t begin = INT64_MIN;
  uint32_t member = kNone;

  void Take(const Member& other, uint32_t number) {
    if (!other.there || !other.knows_begin) {
      known = false;
    } else if (other.begin > begin) {
      begin = other.begin;
      member = number;
    }
  }
};

void Needs(Member* member, const Latest& latest) {
  if (latest.known && latest.member == kNone) return;  // no member had data to give
  member->needs = true;
  member->knows_ready = latest.known;
  member->ready = latest.begin;
  member->last = latest.member;
}

// Whether no member that gets something left before the last one that gives something had begun.
bool NoneLeftEarly(const Collective& collective, bool with_data) {
  int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
  for (const Member& member : collective.members) {
    if (!member.there || !member.knows_begin || member.cut) return false;
    if (!with_data || member.out != 0) last_begin = std::max(last_begin, member.begin);
    if (!with_data || member.in != 0) first_end = std::min(first_end, member.end);
  }
  return first_end >= last_begin;
}

// Each member needs all others. With two groups, it needs those of the other group, unless the call changes something
// that both groups share, or MPI gathered each group first, as it does for most operations: then all left late. With
// data, nobody waits for a member that gives none, and a member that gets none does not wait.
void AllNeedAll(Collective* collective, bool with_data) {
  Latest groups[2];
  const bool two = collective->first_remote != kNone && !IsManagement(collective->operation.role) &&
                   !NoneLeftEarly(*collective, with_data);
  collective->apart = two;
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    const Member& member = collective->members[m];
    if (with_data && member.there && member.out == 0) continue;
    groups[two && m >= collective->first_remote ? 1 : 0].Take(member, m);
  }
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    Member& member = collective->members[m];
    if (!member.there || (with_data && member.in == 0)) continue;
    Needs(&member, groups[two && m < collective->first_remote ? 1 : 0]);
  }
}

void RootAndOthers(Collective* collective, bool root_gives) {
  uint32_t root = kNone;
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    if (collective->members[m].rank == collective->root) root = m;
  }
  if (root == kNone) return;
  Latest latest;
  if (root_gives) latest.Take(collective->members[root], root);
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    Member& member = collective->members[m];
    if (m == root) continue;
    if (root_gives && member.there && member.in != 0) Needs(&member, latest);
    if (!root_gives && !(member.there && member.out == 0)) latest.Take(member, m);
  }
  if (!root_gives && collective->members[root].there) Needs(&collective->members[root], latest);
}

void EachNeedsThoseBefore(Collective* collective) {
  Latest latest;
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    Member& member = collective->members[m];
    if (!member.there || member.out != 0) latest.Take(member, m);
    if (member.there && member.in != 0) Needs(&member, latest);
  }
}

// A graph may have several edges between two processes. At most this many for each process are looked at.
constexpr size_t kMostEdges = 8;

using Places = std::vector<std::pair<int32_t, uint32_t>>;  // rank, member

// Peers are ranks, which this table maps to members.
Places PlacesOf(const Collective& collective) {
  Places places;
  for (uint32_t m = 0; m < collective.members.size(); ++m) places.emplace_back(collective.members[m].rank, m);
  std::sort(places.begin(), places.end());
  return places;
}

void NeedsItsPeers(Collective* collective, const Places& places, uint32_t number) {
  Member& member = collective->members[number];
  member.sources.clear();
  Latest latest;
  size_t left = kMostEdges * places.size();
  for (const Peers& peers : member.peers) {
    // A forged count ends with the last member.
    const size_t count = std::min<size_t>({peers.count, places.size(), left});
    left -= count;
    for (size_t i = 0; i < count; ++i) {
      const int64_t rank = peers.first + static_cast<int64_t>(i) * peers.step;
      const auto found = std::lower_bound(places.begin(), places.end(), rank,
                                          [](const auto& place, int64_t wanted) { return place.first < wanted; });
      if (found == places.end() || found->first != rank) {
        latest.known = false;
      } else if (found->second != number) {
        latest.Take(collective->members[found->second], found->second);
        member.sources.push_back(found->second);
      }
    }
  }
  // In a small grid, one process may be the neighbour on both sides.
  std::sort(member.sources.begin(), member.sources.end());
  member.sources.erase(std::unique(member.sources.begin(), member.sources.end()), member.sources.end());
  Needs(&member, latest);
}

void EachNeedsItsNeighbours(Collective* collective) {
  const Places places = PlacesOf(*collective);
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    if (collective->members[m].there) NeedsItsPeers(collective, places, m);
  }
}

// A member that gets data from some of the others needs only these.
void AllNeedAllWithData(Collective* collective) {
  AllNeedAll(collective, true);
  if (!collective->IsSparse()) return;
  const Places places = PlacesOf(*collective);
  for (uint32_t m = 0; m < collective->members.size(); ++m) {
    Member& member = collective->members[m];
    if (!member.there || member.peers.empty()) continue;
    member.needs = member.knows_ready = false;
    NeedsItsPeers(collective, places, m);
  }
}

void FindNeedsOfRole(Collective* collective) {
  switch (collective->operation.role) {
    case Role::kBarrier:
    case Role::kInit:
    case Role::kFinalize:
    case Role::kMakeComm:
    case Role::kFreeComm:
    case Role::kMakeWindow:
    case Role::kFreeWindow:
    case Role::kFile:
    case Role::kFileData: return AllNeedAll(collective, false);
    case Role::kAllToAll: return AllNeedAllWithData(collective);
    case Role::kOneToAll: return RootAndOthers(collective, true);
    case Role::kAllToOne: return RootAndOthers(collective, false);
    case Role::kScan: return EachNeedsThoseBefore(collective);
    case Role::kNeighbours: return EachNeedsItsNeighbours(collective);
    default: return;
  }
}

void NeedsNothing(Member* member) {
  member->needs = member->knows_ready = false;
  member->last = kNone;
  member->sources.clear();
}

// Nobody knows how far an operation came that failed at some members. These may have left it before the others came,
// and so may those that they should have given data.
void LeaveOutFailed(std::vector<Member>* members) {
  const auto failed = [](const Member& member) { return member.there && member.failed; };
  if (std::none_of(members->begin(), members->end(), failed)) return;
  for (Member& member : *members) {
    const bool ends_early = member.needs && member.knows_ready && member.ready > member.end;
    if (member.failed || ends_early) NeedsNothing(&member);
  }
}

}  // namespace

void FindNeeds(Collective* collective) {
  FindNeedsOfRole(collective);
  LeaveOutFailed(&collective->members);
}

bool Collective::IsSparse() const {
  return operation.role == Role::kAllToAll &&
         std::any_of(members.begin(), members.end(), [](const Member& member) { return !member.peers.empty(); });
}

bool Collective::Takes(uint32_t taker, uint32_t giver) const {
  const Member& member = members[taker];
  if (member.GetsFromAll()) return taker != giver && members[giver].out != 0;
  return std::binary_search(member.sources.begin(), member.sources.end(), giver);
}

TaskReady LastOf(std::span<const TaskReady> ends) {
  TaskReady last;
  for (const TaskReady& end : ends) {
    if (end.ns > last.ns) last = end;
  }
  return last;
}

void KeepLast(std::vector<TaskReady>* ends, const TaskReady& end) {
  for (TaskReady& known : *ends) {
    if (known.by != end.by) continue;
    known.ns = std::max(known.ns, end.ns);
    return;
  }
  ends->push_back(end);
}

size_t WindowFence::Last() const {
  const auto by_enter = [](const Call& a, const Call& b) { return a.enter < b.enter; };
  return static_cast<size_t>(std::max_element(calls.begin(), calls.end(), by_enter) - calls.begin());
}

bool WindowFence::IsTogether() const {
  const int64_t begin = calls[Last()].enter;
  return std::all_of(calls.begin(), calls.end(), [&](const Call& call) { return call.leave >= begin; });
}

}  // namespace epik::replay
