// SPDX-License-Identifier: BSD-3-Clause
// Teams of threads, their barriers and those of libc, and locks. All of them are within one process, whose threads have
// one clock. So their records are taken in the order of that clock (Engine::IsItsTurn).
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

using event::RecordKind;

namespace {

uint64_t TeamOf(uint64_t leader, uint64_t instance) { return leader << 40 ^ instance; }

}  // namespace

void Engine::Fork(uint32_t location, LocationState* state) {
  if (threads_.empty()) return;
  const uint64_t team = TeamOf(world_.locations[location].number, state->event.field[1]);
  const int64_t ns = state->ns;
  for (Observer* observer : threads_) observer->Forked(location, team, ns);
}

void Engine::Join(uint32_t location, LocationState* state) {
  const uint64_t team = TeamOf(world_.locations[location].number, state->event.field[0]);
  for (Observer* observer : threads_) observer->Joined(location, team);
  StateAt(location).team_sizes.erase(team);
  if (!state->teams.empty() && state->teams.back().ended) state->teams.pop_back();
}

void Engine::NoteTeamSize(uint32_t location, const LocationState& state) {
  const uint64_t team = TeamOf(world_.locations[location].number, state.event.field[0]);
  StateAt(location).team_sizes[team] = static_cast<uint32_t>(std::min<uint64_t>(state.event.field[1], kNone));
}

// A thread comes to a team, or has ended its part in it.
void Engine::Team(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t* field = state->event.field;
  if (state->event.kind == RecordKind::kTeamBegin) {
    const uint64_t team = TeamOf(field[0], field[1]);
    state->teams.push_back({team, state->frames.size()});
    for (Observer* observer : threads_) observer->Began(location, team, ns);
    return;
  }
  for (auto part = state->teams.rbegin(); part != state->teams.rend(); ++part) {
    if (part->ended) continue;
    part->ended = true;
    return;
  }
}

void Engine::ComeToBarrier(uint32_t location, LocationState* state, int64_t ns) {
  std::vector<TeamPart>& teams = state->teams;
  // A part is over when the frame of its region is.
  while (!teams.empty() && teams.back().ended && state->frames.size() < teams.back().depth) teams.pop_back();
  if (teams.empty()) return;  // the end of a team of one thread, whose begin is not in the trace
  if (state->frames.empty() || state->at_node != 0) {
    if (teams.back().ended) teams.pop_back();
    return unmatched.Add(Kind::kBarrier, Reason::kCallNotLogged);
  }
  GatheringState& barrier = Gather(location, state, ns, teams.back().team);
  const auto size = StateAt(location).team_sizes.find(teams.back().team);
  if (size != StateAt(location).team_sizes.end()) barrier.expected = size->second;
  if (teams.back().ended) teams.pop_back();  // that was its last barrier
}

// A barrier of libc has a number that no team can have.
void Engine::ComeToThreadBarrier(uint32_t location, LocationState* state, int64_t ns) {
  if (state->frames.empty() || state->at_node != 0) return unmatched.Add(Kind::kBarrier, Reason::kCallNotLogged);
  const uint64_t expected = state->event.field[1];
  GatheringState& barrier = Gather(location, state, ns, uint64_t{1} << 63 | state->event.field[0]);
  barrier.expected = static_cast<uint32_t>(std::min<uint64_t>(expected, kNone));
  // A thread that comes later comes to the next round, even if no thread has left this one.
  if (barrier.gathering.members.size() == barrier.expected) CloseBarrier(&barrier);
}

// The barrier of the team that is open now.
GatheringState& Engine::Gather(uint32_t location, LocationState* state, int64_t ns, uint64_t team) {
  OpenFrame& open = state->frames.back();
  uint32_t* known = StateAt(location).teams.FindOrAdd(team, kNone - 1);
  if (*known == kNone - 1) {
    *known = gatherings_.Take();
    GatheringState& made = gatherings_[*known];
    made.gathering = Gathering();
    made.gathering.process = world_.locations[location].process;
    made.gathering.operation = open.frame.operation;
    made.team = team;
    made.left = made.expected = 0;
    made.open = true;
    made.lacks = false;
  }
  open.gathering = *known;
  Gathering::Member member;
  member.location = location;
  member.path = open.frame.path;
  member.enter = open.made_up ? ns : open.frame.enter;
  member.knows_enter = !open.made_up;
  GatheringState& barrier = gatherings_[*known];
  barrier.gathering.members.push_back(std::move(member));
  return barrier;
}

void Engine::CloseBarrier(GatheringState* barrier) {
  if (!barrier->open) return;
  barrier->open = false;
  processes_[barrier->gathering.process].teams.Erase(barrier->team);
}

// Threads that are not in the trace, or have not come, may have been the last ones.
void Engine::TellUnknown(const GatheringState& barrier, uint32_t location) {
  for (const Gathering::Member& member : barrier.gathering.members) {
    if (member.location != location || !member.knows_enter) continue;
    ThreadWait wait;
    wait.call.location = location;
    wait.call.path = member.path;
    wait.call.operation = barrier.gathering.operation;
    wait.call.enter = member.enter;
    wait.call.leave = member.leave;
    wait.stretches.push_back({kNone, member.enter, member.leave, ThreadWait::What::kBarrier});
    for (Observer* observer : teams_) observer->Waited(wait);
  }
}

// The first thread to leave shows that all have come: a thread that comes to a barrier of the team now comes to the
// next one.
void Engine::LeaveBarrier(uint32_t location, const OpenFrame& open, int64_t ns) {
  GatheringState& barrier = gatherings_[open.gathering];
  CloseBarrier(&barrier);
  const size_t come = barrier.gathering.members.size();
  // If nobody has left it when the program ends, some thread has not come, unless the trace tells how many there are.
  if (barrier.left == 0) barrier.lacks = barrier.expected != 0 ? come < barrier.expected : locations_[location].at_end;
  for (Gathering::Member& member : barrier.gathering.members) {
    if (member.location == location) member.leave = ns;
  }
  TakeAwaited(location, locations_[location]);  // the barrier has waited for these tasks
  if (barrier.lacks) TellUnknown(barrier, location);
  if (++barrier.left < come) return;
  if (!barrier.lacks) {
    for (Observer* observer : teams_) observer->Gathered(barrier.gathering);
  }
  gatherings_.Give(open.gathering);
}

// Notes a task that the thread ran while it was in the barrier.
void Engine::NoteTask(uint32_t location, LocationState* state, const OpenFrame& open, int64_t ns) {
  for (Gathering::Member& member : gatherings_[state->frames.back().gathering].gathering.members) {
    if (member.location != location) continue;
    TaskRun task = open.task_run == kNone ? TaskRun() : state->task_runs[open.task_run];
    task.from = open.frame.enter;
    task.to = ns;
    member.tasks.push_back(task);
  }
}

LockState& Engine::LockOf(uint32_t location, uint64_t number) {
  uint32_t* known = StateAt(location).locks.FindOrAdd(number, static_cast<uint32_t>(locks_.size()));
  if (*known == locks_.size()) locks_.emplace_back();
  return locks_[*known];
}

void Engine::TellAcquired(const LockState& lock, const Call& call) {
  if (lock.holder == call.location) return;
  const Acquisition acquisition{call, lock.holder, lock.held_in, lock.taken, lock.freed};
  for (Observer* observer : teams_) observer->Acquired(acquisition);
}

// The n-th thread to have a lock waited for the release of the one before it. The record of that release may come a
// little later than that of the next acquisition.
void Engine::Acquire(uint32_t location, LocationState* state, int64_t ns) {
  for (Observer* observer : threads_) observer->Took(location, ns);
  LockState& lock = LockOf(location, state->event.field[0]);
  LockState::Taken taken;
  taken.order = state->event.field[1];
  taken.call = Describe(location, *state, ns);
  taken.call.leave = ns;
  if (!taken.call.logged) {
    unmatched.Add(Kind::kLock, Reason::kCallNotLogged);
  } else if (lock.order != 0 && taken.order == lock.order + 1) {
    TellAcquired(lock, taken.call);
  } else if (lock.now.order != 0 && taken.order == lock.now.order + 1) {
    lock.next = taken;
    return;
  } else if (taken.order > 1) {
    unmatched.Add(Kind::kLock, Reason::kNoPartner);
  }
  lock.now = taken;
}

void Engine::Free(uint32_t location, LocationState* state, int64_t ns) {
  for (Observer* observer : threads_) observer->Freed(location, ns);
  LockState& lock = LockOf(location, state->event.field[0]);
  const uint64_t order = state->event.field[1];
  if (lock.now.order != order) return;  // the lock was taken before the trace began
  lock.order = order;
  lock.holder = location;
  lock.held_in = state->frames.empty() ? lock.now.call.path : state->frames.back().frame.path;
  lock.taken = lock.now.call.leave;
  lock.freed = ns;
  lock.now = LockState::Taken();
  if (lock.next.order == 0) return;
  TellAcquired(lock, lock.next.call);
  lock.now = lock.next;
  lock.next = LockState::Taken();
}

}  // namespace epik::replay
