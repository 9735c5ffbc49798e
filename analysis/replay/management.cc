// SPDX-License-Identifier: BSD-3-Clause
// Calls that the processes of a communicator make together and that move no data: they make, free or change
// communicators, windows and files. The n-th calls of one kind on a communicator belong together.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

void Engine::NoteManagement(uint32_t location, LocationState* state) {
  if (state->frames.empty()) return;
  OpenFrame& open = state->frames.back();
  if (!IsManagement(open.frame.operation.role) || open.made_up) return;
  open.managed = ProcessAt(location).communicators.At(state->event.field[1]).number;
}

void Engine::LeaveManagement(uint32_t location, const OpenFrame& open, int64_t ns) {
  ProcessState& process = StateAt(location);
  if (process.partial) return unmatched.Add(Kind::kCollective, Reason::kOutOfStep);
  const CommunicatorState& members = StateOf(open.managed);
  if (members.ranks.size() < 2) return;
  const Role role = open.frame.operation.role;
  const ManagementKey key{open.managed, role, process.managed[{open.managed, role}]++};
  Collective& meeting = managed_[key];
  if (meeting.members.empty()) {
    meeting.communicator = open.managed;
    meeting.number = key.number;
    meeting.operation = open.frame.operation;
    meeting.members.resize(members.ranks.size());
    for (size_t m = 0; m < members.ranks.size(); ++m) meeting.members[m].rank = members.ranks[m];
    meeting.missing = static_cast<uint32_t>(members.ranks.size());
    const auto& remote = world_.communicators[open.managed].remote;
    if (!remote.empty()) meeting.first_remote = static_cast<uint32_t>(members.ranks.size() - remote.size());
  }
  const uint32_t place = members.MemberOf(ProcessAt(location).rank);
  if (place == kNone || meeting.members[place].there) return;
  Member& member = meeting.members[place];
  member.there = member.knows_begin = true;
  member.location = location;
  member.path = open.frame.path;
  member.begin = open.frame.enter;
  member.end = std::max(member.begin, ns);
  if (--meeting.missing > 0) return;
  TellManagement(&meeting);
  managed_.erase(key);
}

// They waited for each other only if none of them left before all had come: some calls end without that.
void Engine::TellManagement(Collective* meeting) {
  FindNeeds(meeting);
  int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
  for (const Member& member : meeting->members) {
    first_end = std::min(first_end, member.end);
    last_begin = std::max(last_begin, member.begin);
  }
  if (first_end < last_begin) {
    for (Member& member : meeting->members) member.needs = false;
  }
  for (Observer* observer : collectives_wanted_) observer->Met(*meeting);
}

// Counts operations that lack a process, because it is not in the trace, or did not make the call.
void Engine::EndManagement() {
  for (const auto& [key, meeting] : managed_) {
    const bool all = StateOf(key.communicator).traced == meeting.members.size();
    unmatched.Add(Kind::kCollective, all ? Reason::kNoPartner : Reason::kNotTraced,
                  meeting.members.size() - meeting.missing);
  }
  managed_.clear();
}

}  // namespace epik::replay
