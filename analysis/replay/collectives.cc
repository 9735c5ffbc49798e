// SPDX-License-Identifier: BSD-3-Clause
// Puts the parts of processes together to collective operations: the n-th parts that the processes of a communicator
// began on it belong together. Of persistent operations, parts with the same `_init` and the same start do.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

constexpr size_t kMostBegun = 1 << 16;  // of a process, behind one that does not end
constexpr size_t kMostPeers = 1 << 12;  // runs of ranks; adapters write fewer

}  // namespace

CommunicatorState& Engine::StateOf(uint32_t communicator) {
  CommunicatorState& state = communicators_[communicator];
  if (state.is_known) return state;
  state.is_known = true;
  const Communicator& definition = world_.communicators[communicator];
  state.ranks = definition.ranks;
  state.ranks.insert(state.ranks.end(), definition.remote.begin(), definition.remote.end());
  for (uint32_t m = 0; m < state.ranks.size(); ++m) {
    state.place_of.emplace_back(state.ranks[m], m);
    state.traced += world_.ProcessOf(state.ranks[m]) != kNone ? 1 : 0;
  }
  std::sort(state.place_of.begin(), state.place_of.end());
  return state;
}

Begun* Engine::BegunAt(ProcessState* process, uint64_t place) {
  if (place < process->begun_first || place - process->begun_first >= process->begun.size()) return nullptr;
  return &process->begun[place - process->begun_first];
}

void Engine::BeginCollective(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t request = state->event.field[1];
  ProcessState& process = StateAt(location);
  const Call call = Describe(location, *state, ns);
  Begun begun;
  begun.operation = ProcessAt(location).regions.At(state->event.field[0]);
  begun.member.begin = ns;
  begun.member.knows_begin = true;
  begun.member.immediate = request != 0;
  begun.member.location = location;
  begun.member.path = call.path;
  begun.mpi_calls = process.mpi_calls;
  const uint64_t place = process.begun_first + process.begun.size();
  if (request != 0) {
    NewRequest(location, request)->begun = place;
  } else {
    Begun* left_behind = BegunAt(&process, state->begun);
    if (left_behind != nullptr) left_behind->phase = Begun::Phase::kGone;
    state->begun = place;
    begun.waiter = location;
  }
  process.begun.push_back(begun);
  if (process.begun.size() > kMostBegun) {
    process.begun.front().phase = Begun::Phase::kGone;
    unmatched.Add(Kind::kCollective, Reason::kNoEnd);
    Number(world_.locations[location].process);
  }
}

// If a call ends before its operation has ended, MPI has refused the call, so there was no operation. In a trace that
// lacks events, the end of the operation may be missing instead.
void Engine::LeaveCollective(uint32_t location, LocationState* state) {
  ProcessState& process = StateAt(location);
  if (process.partial || state->event.made_up) return;
  Begun* begun = BegunAt(&process, state->begun);
  if (begun == nullptr || begun->phase != Begun::Phase::kOpen) return;
  begun->phase = Begun::Phase::kGone;
  state->begun = 0;
  Number(world_.locations[location].process);
}

// The ranks that the operation brings data from are known between its begin and its end, or until the end of the call
// that began it.
void Engine::TakePeers(uint32_t location, LocationState* state) {
  state->at_node = 0;
  const uint64_t* field = state->event.field;
  const RequestState* request = field[3] != 0 ? RequestOf(location, field[3]) : nullptr;
  const uint64_t place = field[3] == 0 ? state->begun : request != nullptr ? request->begun : 0;
  Begun* begun = BegunAt(&StateAt(location), place);
  if (begun == nullptr || begun->member.peers.size() == kMostPeers) return;
  const Role role = begun->operation.role;
  if (role != Role::kNeighbours && role != Role::kAllToAll) return;
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(field[2], kNone));
  begun->member.peers.push_back({static_cast<int32_t>(field[0]), static_cast<int32_t>(field[1]), count});
  if (field[3] == 0) state->has_peers = true;
}

// The location's part has ended, so its communicator is known.
void Engine::Arrive(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t* field = state->event.field;
  const uint64_t request = field[5];
  ProcessState& process = StateAt(location);
  uint64_t place = state->begun;
  if (request != 0) {
    RequestState* known = RequestOf(location, request);
    place = known != nullptr ? known->begun : 0;
    if (known != nullptr) known->begun = 0;
    SettleRequest(location, request);
  }
  Begun* begun = BegunAt(&process, place);
  if (begun == nullptr) {
    place = process.begun_first + process.begun.size();
    process.begun.emplace_back();
    begun = &process.begun.back();
    begun->operation = ProcessAt(location).regions.At(field[0]);
    begun->member.location = location;
    begun->member.immediate = request != 0;
    begun->member.path = Describe(location, *state, ns).path;
    begun->waiter = request == 0 ? location : kNone;
    if (request == 0) state->begun = place;
  }
  begun->phase = Begun::Phase::kEnded;
  begun->communicator = ProcessAt(location).communicators.At(field[1]).number;
  begun->turn = state->turn;
  begun->root = static_cast<int32_t>(field[2]);
  begun->member.out = field[3];
  begun->member.in = field[4];
  begun->member.end = ns;
  begun->member.failed = state->failed;
  if (request != 0) {
    const uint32_t call = CallOfRecord(location, state, ns);
    begun->member.completed_by = CompletionBy(calls_[call].call);
    begun->member.completed_next = begun->member.knows_begin && process.mpi_calls == begun->mpi_calls + 1;
    if (calls_[call].call.operation.role != Role::kTest) {
      begun->call = call;
      ++calls_[call].unknown_arrivals;
    }
    EndRecord(call);
  }
  Number(world_.locations[location].process);
}

bool Engine::EndCollective(uint32_t location, LocationState* state, int64_t ns) {
  const bool blocks = state->event.field[5] == 0;
  if (!state->joined) {
    state->meeting = kNone;
    Arrive(location, state, ns);
  }
  if (blocks && !state->forced && !MayPass(location, state)) {
    state->joined = true;
    collectives_[state->meeting].waiters.push_back(location);
    Halt(location, Stop::kMembers);
    return false;
  }
  state->joined = false;
  state->meeting = kNone;
  if (blocks) {
    state->has_peers = false;
    Begun* begun = BegunAt(&StateAt(location), state->begun);
    if (begun != nullptr) begun->waiter = kNone;
    state->begun = 0;
  }
  return true;
}

// Whether all members that the location needs have begun. Which members a gathering needs is known only when all are
// there; the location need not wait for that, nor does one whose operation failed. In a scan with data, it waits for
// all unless it is the first one.
bool Engine::MayPass(uint32_t location, LocationState* state) {
  if (state->meeting == kNone || state->failed) return true;
  const CollectiveState& meeting = collectives_[state->meeting];
  const int32_t rank = ProcessAt(location).rank;
  switch (meeting.collective.operation.role) {
    case Role::kOneToAll: return meeting.root_there || rank == meeting.collective.root;
    case Role::kAllToOne: return rank != meeting.collective.root;
    case Role::kAllToAll: return state->event.field[4] == 0 || state->has_peers;
    case Role::kScan: return state->event.field[4] == 0 || rank == meeting.collective.members.front().rank;
    case Role::kBarrier: return false;
    default: return true;
  }
}

// Gives numbers to the ended operations at the front.
void Engine::Number(uint32_t process) {
  ProcessState& state = processes_[process];
  while (!state.begun.empty() && state.begun.front().phase != Begun::Phase::kOpen) {
    Begun begun = state.begun.front();
    state.begun.pop_front();
    ++state.begun_first;
    if (begun.phase == Begun::Phase::kEnded) Join(process, &begun);
  }
}

// Observers are not told of a part without an operation.
void Engine::GiveUp(const Begun& begun, Reason reason) {
  unmatched.Add(Kind::kCollective, reason);
  if (begun.call == kNone) return;
  --calls_[begun.call].unknown_arrivals;
  Settle(begun.call);
}

uint32_t Engine::InstanceOf(uint32_t communicator, uint64_t number, const Begun& begun) {
  const InstanceKey key = {communicator, number};
  const uint32_t found = instance_of_.Find(key);
  if (found != instance_of_.kMissing) return found;
  const CommunicatorState& members = StateOf(communicator);
  const uint32_t made = collectives_.Take();
  CollectiveState& state = collectives_[made];
  state.collective = Collective();
  state.collective.communicator = communicator;
  state.collective.number = number;
  state.collective.operation = begun.operation;
  state.collective.root = begun.root;
  state.collective.members.resize(members.ranks.size());
  for (size_t m = 0; m < members.ranks.size(); ++m) state.collective.members[m].rank = members.ranks[m];
  if (!world_.communicators[communicator].remote.empty()) {
    state.collective.first_remote = static_cast<uint32_t>(world_.communicators[communicator].ranks.size());
  }
  state.arrived = state.users = 0;
  state.expected = members.traced;
  state.waiters.clear();
  state.calls.assign(members.ranks.size(), kNone);
  state.root_there = false;
  state.has_turn = begun.HasTurn();
  instance_of_.FindOrAdd(key, made);
  return made;
}

// The number of the operation on its communicator: the trace has all of them until the first one that tells its turn,
// which is counted from there.
uint64_t Engine::NumberOf(uint32_t process, const Begun& begun) {
  if (begun.IsPersistent()) return begun.turn;
  uint32_t* number = processes_[process].numbers.FindOrAdd(begun.communicator, 0);
  if (!begun.HasTurn()) return ++*number;
  const uint32_t before = *processes_[process].untold.FindOrAdd(begun.communicator, *number);
  *number = static_cast<uint32_t>(archive::TurnAfter(before, begun.turn, WholeOf(begun.member.location)));
  return *number;
}

void Engine::Join(uint32_t process, Begun* begun) {
  const int32_t rank = world_.processes[process].rank;
  if (begun->communicator == kNone || StateOf(begun->communicator).ranks.empty()) {
    return GiveUp(*begun, Reason::kUnknownMembers);
  }
  const CommunicatorState& members = StateOf(begun->communicator);
  if (members.ranks.size() == 1) {  // there is nobody to wait for
    if (begun->call != kNone) --calls_[begun->call].unknown_arrivals, Settle(begun->call);
    return;
  }
  const uint32_t place = members.MemberOf(rank);
  if (place == kNone) return GiveUp(*begun, Reason::kUnknownMembers);
  const uint32_t number = InstanceOf(begun->communicator, NumberOf(process, *begun), *begun);
  CollectiveState& state = collectives_[number];
  state.has_turn |= begun->HasTurn();
  Member& member = state.collective.members[place];
  if (member.there) return GiveUp(*begun, Reason::kOutOfStep);
  const Operation& operation = state.collective.operation;
  if (begun->operation.role != operation.role && operation.role == Role::kNone) {
    state.collective.operation = begun->operation;
  }
  member = begun->member;
  member.rank = rank;
  member.there = true;
  state.calls[place] = begun->call;
  if (state.collective.root < 0) state.collective.root = begun->root;
  if (rank == state.collective.root) state.root_there = true;
  if (begun->waiter != kNone) locations_[begun->waiter].meeting = number;
  if (++state.arrived == state.expected) {
    Complete(number);
  } else if (rank == state.collective.root && operation.role == Role::kOneToAll) {
    for (const uint32_t l : state.waiters) {
      if (locations_[l].stop == Stop::kMembers) Queue(l);
    }
    state.waiters.clear();
  }
}

void Engine::Complete(uint32_t collective) {
  const CollectiveState& state = collectives_[collective];
  bool partial = false;
  for (const Member& member : state.collective.members) {
    if (member.there) partial |= processes_[world_.ProcessOf(member.rank)].partial;
  }
  if (partial && !state.has_turn && EvictEarly(collective)) return;
  Tell(collective);
}

// Processes whose traces lack calls may come with another operation than the rest: it ended before another member
// began. That part belongs to no operation in the trace; the next one of the same process may fit.
bool Engine::EvictEarly(uint32_t collective) {
  Collective& meeting = collectives_[collective].collective;
  FindNeeds(&meeting);
  bool evicted = false;
  for (uint32_t m = 0; m < meeting.members.size(); ++m) {
    const Member& member = meeting.members[m];
    if (!member.there || !member.needs || member.ready <= member.end + world_.clock_error_ns) continue;
    Evict(collective, m);
    evicted = true;
  }
  for (Member& member : meeting.members) member.needs = member.knows_ready = false;
  return evicted;
}

void Engine::Evict(uint32_t collective, uint32_t number) {
  CollectiveState& state = collectives_[collective];
  Member& member = state.collective.members[number];
  const uint32_t process = world_.ProcessOf(member.rank);
  const uint32_t location = member.location;
  if (member.rank == state.collective.root) state.root_there = false;
  const int32_t rank = member.rank;
  member = Member();
  member.rank = rank;
  --state.arrived;
  --*processes_[process].numbers.FindOrAdd(state.collective.communicator, 0);
  unmatched.Add(Kind::kCollective, Reason::kOutOfStep);
  const uint32_t call = state.calls[number];
  state.calls[number] = kNone;
  if (call != kNone) {
    --calls_[call].unknown_arrivals;
    Settle(call);
  }
  if (locations_[location].meeting == collective) {
    locations_[location].meeting = kNone;
    if (locations_[location].stop == Stop::kMembers) Queue(location);
  }
}

// Counts parts whose waiting time is unknown.
void Engine::CountUnknown(const Collective& collective) {
  bool some_not_traced = false, some_without_begin = false;
  for (const Member& member : collective.members) {
    some_not_traced |= world_.ProcessOf(member.rank) == kNone;
    some_without_begin |= member.there && !member.knows_begin;
  }
  const Reason reason = some_not_traced      ? Reason::kNotTraced
                        : some_without_begin ? Reason::kNoBegin
                                             : Reason::kNoPartner;
  for (const Member& member : collective.members) {
    if (member.needs && !member.knows_ready) unmatched.Add(Kind::kCollective, reason);
    if (member.needs && member.knows_ready && !member.knows_begin) unmatched.Add(Kind::kCollective, Reason::kNoBegin);
    const bool ends_early = member.needs && member.knows_ready && member.ready > member.end;
    if (ends_early && !member.cut) NoteViolation(member.ready - member.end);
  }
}

void Engine::FindBack(Collective* collective) {
  const std::vector<Member>& members = collective->members;
  for (uint32_t m = 0; m < members.size(); ++m) {
    if (members[m].there && members[m].immediate) collective->back.push_back(m);
  }
  std::stable_sort(collective->back.begin(), collective->back.end(), [&](uint32_t one, uint32_t other) {
    return members[one].completed_by.enter < members[other].completed_by.enter;
  });
}

void Engine::Tell(uint32_t number) {
  CollectiveState& state = collectives_[number];
  Collective& collective = state.collective;
  collective.missing = static_cast<uint32_t>(collective.members.size()) - state.arrived;
  FindNeeds(&collective);
  FindBack(&collective);
  CountUnknown(collective);
  totals.collectives += collective.IsWhole() ? 1 : 0;
  if (collective.IsSparse()) collective.operation.role = Role::kNeighbours;
  for (Observer* observer : collectives_wanted_) observer->Met(collective);
  instance_of_.Erase({collective.communicator, collective.number});
  for (const Member& member : collective.members) {
    if (!member.there || locations_[member.location].meeting != number) continue;
    locations_[member.location].meeting = kNone;
    if (locations_[member.location].stop == Stop::kMembers) Queue(member.location);
  }
  state.users = 1;
  for (uint32_t m = 0; m < collective.members.size(); ++m) {
    const uint32_t call = state.calls[m];
    if (call == kNone) continue;
    calls_[call].parts.push_back({number, m});
    ++state.users;
    --calls_[call].unknown_arrivals;
    Settle(call);
  }
  if (--state.users == 0) collectives_.Give(number);
}

void Engine::EndCollectives() {
  for (uint32_t p = 0; p < processes_.size(); ++p) {
    for (Begun& begun : processes_[p].begun) {
      if (begun.phase == Begun::Phase::kOpen) {
        begun.phase = Begun::Phase::kGone;
        unmatched.Add(Kind::kCollective, Reason::kNoEnd);
      }
    }
    Number(p);
  }
  std::vector<uint32_t> left;
  instance_of_.ForEach([&](const InstanceKey&, uint32_t number) { left.push_back(number); });
  std::sort(left.begin(), left.end(), [&](uint32_t a, uint32_t b) {
    const Collective& one = collectives_[a].collective;
    const Collective& other = collectives_[b].collective;
    return std::pair(one.communicator, one.number) < std::pair(other.communicator, other.number);
  });
  for (const uint32_t number : left) Tell(number);
}

// MPI_Init and MPI_Finalize are collective operations of all processes, without records.
void Engine::JoinJob(uint32_t location, const OpenFrame& open, int64_t enter, int64_t leave, bool cut) {
  const Process& process = ProcessAt(location);
  Collective& job = open.frame.operation.role == Role::kInit ? init_ : finalize_;
  if (process.rank < 0 || process.rank >= world_.ranks) return;
  if (job.members.empty()) {
    job.operation = open.frame.operation;
    job.communicator = world_.world_communicator;
    job.members.resize(static_cast<size_t>(world_.ranks));
    for (int32_t r = 0; r < world_.ranks; ++r) job.members[static_cast<size_t>(r)].rank = r;
  }
  Member& member = job.members[static_cast<size_t>(process.rank)];
  if (member.there) return;
  member.there = true;
  member.knows_begin = !open.made_up;
  member.cut = cut;
  member.location = location;
  member.path = open.frame.path;
  member.begin = enter;
  member.end = leave;
}

// Measurement ends when MPI_Finalize begins. The call lasts at least until all have come.
void Engine::EndJob() {
  for (Collective* job : {&init_, &finalize_}) {
    if (job->members.size() < 2) continue;
    int64_t latest = INT64_MIN;
    for (const Member& member : job->members) {
      if (member.there) latest = std::max(latest, member.begin);
      job->missing += member.there ? 0 : 1;
    }
    for (Member& member : job->members) {
      if (job == &finalize_ && member.there) member.end = std::max(member.end, latest);
    }
    FindNeeds(job);
    CountUnknown(*job);
    for (Observer* observer : collectives_wanted_) observer->Met(*job);
  }
}

}  // namespace epik::replay
