// SPDX-License-Identifier: BSD-3-Clause
// Defines communicators, and the teams of OpenMP, which are communicators in OTF2, too.
#include <algorithm>

#include "archive/otf2/definitions.h"

namespace epik::archive {

namespace {

constexpr uint32_t kLocationsGroup = 0, kSelfGroup = 1, kFirstGroup = 2;

}  // namespace

bool Otf2Numbers::NoteLife(uint32_t communicator, uint32_t from) {
  if (communicator == world_ || communicator == self_) return false;
  uint32_t& known = lives_.try_emplace(communicator, from).first->second;
  known = std::min(known, from);
  return true;
}

void Otf2Numbers::WriteCommunicators(OTF2_GlobalDefWriter* writer) {
  const uint32_t nothing = Text(writer, "");
  std::vector<uint64_t> locations;
  Places places;
  for (const auto& [rank, location] : masters_) {
    places.emplace(rank, locations.size());
    locations.push_back(location);
  }
  Check(OTF2_GlobalDefWriter_WriteGroup(writer, kLocationsGroup, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                        static_cast<uint32_t>(locations.size()), locations.data()));
  Check(OTF2_GlobalDefWriter_WriteGroup(writer, kSelfGroup, nothing, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 0, nullptr));
  uint32_t group = kFirstGroup;  // readers want numbers without gaps
  for (uint32_t c = 0; c < members_.size(); ++c) {
    if (c != self_) {
      WriteCommunicator(writer, c, places, &group);
      continue;
    }
    const uint32_t name = Text(writer, "MPI_COMM_SELF");
    Check(OTF2_GlobalDefWriter_WriteComm(writer, c, name, kSelfGroup, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
  if (!teams_.empty()) WriteTeams(writer, group);
}

void Otf2Numbers::WriteCommunicator(OTF2_GlobalDefWriter* writer, uint32_t c, const Places& places, uint32_t* group) {
  static const archive::Communicator kUndefined;
  const std::vector<archive::Communicator>& all = part_.archive->definitions().communicators;
  const archive::Communicator& communicator = c < all.size() ? all[c] : kUndefined;
  const uint32_t name = Text(writer, !communicator.name.empty() ? communicator.name
                                     : c == world_              ? "MPI_COMM_WORLD"
                                                                : "#" + std::to_string(c));
  const auto write_group = [&](const std::vector<uint64_t>& members) {
    Check(OTF2_GlobalDefWriter_WriteGroup(writer, *group, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(members.size()), members.data()));
    return (*group)++;
  };
  const auto places_of = [&](const std::vector<uint32_t>& ranks) {
    std::vector<uint64_t> members(ranks.size());
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
      const auto found = places.find(static_cast<int32_t>(ranks[rank]));
      if (found != places.end()) members[rank] = found->second;
    }
    return members;
  };
  const auto life = lives_.find(c);
  const OTF2_CommFlag flag = life == lives_.end() ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
  if (!communicator.remote.empty()) {
    const uint32_t one = write_group(places_of(communicator.ranks));
    const uint32_t other = write_group(places_of(communicator.remote));
    Check(OTF2_GlobalDefWriter_WriteInterComm(writer, c, name, one, other, OTF2_UNDEFINED_COMM, flag));
    return;
  }
  std::vector<uint32_t> ranks(members_[c].size());
  for (const auto& [rank, at] : members_[c]) {
    if (at < ranks.size()) ranks[at] = static_cast<uint32_t>(rank);
  }
  const uint32_t own = write_group(places_of(ranks));
  // Readers want the older communicator first.
  const bool has_parent = life != lives_.end() && life->second < c;
  Check(OTF2_GlobalDefWriter_WriteComm(writer, c, name, own, has_parent ? life->second : OTF2_UNDEFINED_COMM, flag));
}

void Otf2Numbers::WriteTeams(OTF2_GlobalDefWriter* writer, uint32_t group) {
  struct Team {
    OTF2_Paradigm paradigm;
    int32_t rank;
    std::vector<uint64_t> members;  // places among all threads that are in teams of that paradigm
  };
  std::map<uint32_t, Team> teams;  // by number, in the order that readers want
  std::map<OTF2_Paradigm, std::vector<uint64_t>> locations;
  for (const auto& [key, threads] : teams_) {
    Team& team = teams.emplace(threads.number, Team{key.first, key.second, {}}).first->second;
    for (const auto& [thread, location] : threads.members) {
      team.members.push_back(locations[key.first].size());
      locations[key.first].push_back(location);
    }
  }
  const uint32_t nothing = Text(writer, "");
  for (const auto& [paradigm, all] : locations) {
    Check(OTF2_GlobalDefWriter_WriteGroup(writer, group++, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm,
                                          OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(all.size()), all.data()));
  }
  for (const auto& [number, team] : teams) {
    const uint32_t name = Text(writer, "threads of rank " + std::to_string(std::max(team.rank, 0)));
    Check(OTF2_GlobalDefWriter_WriteGroup(writer, group, name, OTF2_GROUP_TYPE_COMM_GROUP, team.paradigm,
                                          OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(team.members.size()),
                                          team.members.data()));
    Check(OTF2_GlobalDefWriter_WriteComm(writer, number, name, group++, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
}

}  // namespace epik::archive
