// SPDX-License-Identifier: BSD-3-Clause
// Decides which location goes on, and where each one stops.
#include "analysis/replay/engine.h"

#include <algorithm>
#include <utility>

#include "analysis/replay/levels.h"

namespace epik::replay {

using event::RecordKind;

namespace {

constexpr uint32_t kEventsInTurn = 1 << 16;
constexpr uint32_t kMostAhead = 1 << 16;  // sends of a process that have not been received
constexpr uint64_t kProgressEvents = 1 << 22;

Mode ModeOf(uint64_t field) {
  static_assert(static_cast<int>(Mode::kSynchronous) == static_cast<int>(event::SendMode::kSynchronous));
  static_assert(static_cast<int>(Mode::kReady) == static_cast<int>(event::SendMode::kReady));
  return field <= static_cast<uint64_t>(Mode::kReady) ? static_cast<Mode>(field) : Mode::kStandard;
}

// Records that say more about the one that follows.
void TakeWordOfNext(RecordKind kind, LocationState* state) {
  if (kind == RecordKind::kAt) state->at_node = state->event.field[0];
  if (kind == RecordKind::kTurn || kind == RecordKind::kTurnSince) state->turn = archive::ToldBy(state->event);
  if (kind == RecordKind::kCollectiveFailed) state->failed = true;
  if (kind == RecordKind::kSendMode) {
    state->send_mode = ModeOf(state->event.field[0]);
    state->in_parts = state->event.field[0] == static_cast<uint64_t>(event::SendMode::kPartitioned);
  }
}

}  // namespace

Engine::Engine(const World* world, std::vector<std::unique_ptr<EventSource>> sources, TimeModel* time,
               const std::vector<Observer*>& observers)
    : world_(*world), time_(time), interruptions_(world->locations.size()) {
  const std::pair<unsigned, std::vector<Observer*>*> lists[] = {{Observer::kFrames, &frames_},
                                                                {Observer::kMatched, &matched_},
                                                                {Observer::kMessages, &messages_wanted_},
                                                                {Observer::kParts, &parts_wanted_},
                                                                {Observer::kPolled, &polled_},
                                                                {Observer::kSent, &sent_},
                                                                {Observer::kCollectives, &collectives_wanted_},
                                                                {Observer::kTeams, &teams_},
                                                                {Observer::kThreads, &threads_},
                                                                {Observer::kWindows, &windows_wanted_}};
  for (Observer* observer : observers) {
    observer->Follow(interruptions_);
    for (const auto& [wanted, list] : lists) {
      if ((observer->wants() & wanted) != 0) list->push_back(observer);
    }
  }
  locations_.resize(world_.locations.size());
  for (size_t l = 0; l < locations_.size(); ++l) locations_[l].source = std::move(sources[l]);
  processes_.resize(world_.processes.size());
  for (size_t p = 0; p < processes_.size(); ++p) {
    processes_[p].partial = world_.processes[p].partial;
    const std::vector<uint32_t>& threads = world_.processes[p].locations;
    processes_[p].open_locations = static_cast<uint32_t>(threads.size());
    processes_[p].turns.Resize(threads.size());
    for (uint32_t t = 0; t < threads.size(); ++t) locations_[threads[t]].thread = t;
  }
  communicators_.resize(world_.communicators.size());
}

void Engine::Run(const std::function<void(uint64_t)>& progress, const archive::TimeLimit& limit) {
  open_ = static_cast<uint32_t>(locations_.size());
  for (uint32_t l = 0; l < locations_.size(); ++l) {
    LocationState& state = locations_[l];
    if (Read(l, &state)) {
      StateAt(l).turns.Set(state.thread, state.event.time);
      Queue(l);
    } else {
      ComeToEnd(l, &state);
      Finish(l, &state);
    }
  }
  uint64_t told = 0;
  while (open_ > 0) {
    if (runnable_.empty()) {
      for (const uint32_t l : ahead_) Queue(l);
      ahead_.clear();
      if (runnable_.empty()) ForceOne();
      continue;
    }
    const uint32_t l = runnable_.front();
    runnable_.pop_front();
    locations_[l].queued = false;
    Go(l, limit);
    if (progress != nullptr && totals.events - told >= kProgressEvents) {
      told = totals.events;
      progress(told);
    }
  }
  EndCollectives();
  EndWindows();
  EndManagement();
  EndMessages();
  EndJob();
}

void Engine::Queue(uint32_t location) {
  LocationState& state = locations_[location];
  if (state.queued || state.stop == Stop::kDone) return;
  state.queued = true;
  state.stop = Stop::kNo;
  runnable_.push_back(location);
}

void Engine::Halt(uint32_t location, Stop stop) {
  LocationState& state = locations_[location];
  state.stop = stop;
  ++state.stops;
  if (stop == Stop::kAhead) {
    ahead_.push_back(location);
    return;
  }
  if (halted_.size() > 4 * locations_.size() + 1024) Prune();
  halted_.push_back({state.ns, location, state.stops});
  std::push_heap(halted_.begin(), halted_.end());
}

// Removes entries of locations that went on meanwhile.
void Engine::Prune() {
  std::erase_if(halted_, [&](const Halted& entry) {
    const LocationState& state = locations_[entry.location];
    return state.stops != entry.stops || state.stop == Stop::kNo || state.stop == Stop::kDone;
  });
  std::make_heap(halted_.begin(), halted_.end());
}

// No location can go on. The event that the one furthest behind depends on is not in the trace, or is later than its
// clock says.
void Engine::ForceOne() {
  while (!halted_.empty()) {
    const Halted entry = halted_.front();
    std::pop_heap(halted_.begin(), halted_.end());
    halted_.pop_back();
    LocationState& state = locations_[entry.location];
    if (state.stops != entry.stops || state.stop == Stop::kNo || state.stop == Stop::kDone) continue;
    state.forced = true;
    ++totals.forced;
    Queue(entry.location);
    return;
  }
}

bool Engine::Read(uint32_t location, LocationState* state) {
  if (!state->source->Next(&state->event)) return false;
  const Skipped& skipped = state->source->skipped();
  state->ns = skipped.ns != Skipped::kUnknownNs ? skipped.ns : Ns(location, state->event.time);
  totals.events += skipped.events;
  if (skipped.times.empty()) return true;
  for (Observer* observer : frames_) observer->Skip(location, skipped);
  return true;
}

void Engine::Go(uint32_t location, const archive::TimeLimit& limit) {
  LocationState& state = locations_[location];
  const uint32_t process = world_.locations[location].process;
  Turns& turns = processes_[process].turns;
  uint32_t done = 0;
  turns.Set(state.thread, Turns::kEnd);
  archive::TimedSteps steps(limit);
  // A message that MPI may still refuse is not received meanwhile.
  while (!state.at_end && (done < kEventsInTurn || state.sent != kNone)) {
    steps.Step();
    const RecordKind kind = state.event.kind;
    if (kind == RecordKind::kEnter) {
      Enter(location, &state);
    } else if (kind == RecordKind::kExit) {
      // A thread leaves a barrier only when all have come, so replay must have seen all of them come. The same holds
      // for ends of tasks.
      const bool gathers = !state.frames.empty() && (state.frames.back().gathering != kNone ||
                                                     state.frames.back().frame.operation.role == Role::kTaskWait);
      if (gathers && !state.forced && !IsItsTurn(location, state.event.time)) {
        WaitForTurn(location, &state);
        break;
      }
      Leave(location, &state, state.ns, state.event.made_up);
    } else if (!Record(location, &state)) {
      break;  // the location has stopped there
    }
    state.forced = false;
    ++done;
    if (!Read(location, &state)) {
      ComeToEnd(location, &state);
      break;
    }
    if (processes_[process].unmatched_sends > kMostAhead && done > 256 && state.sent == kNone) {
      Halt(location, Stop::kAhead);
      break;
    }
  }
  state.sent = kNone;
  if (state.at_end) {
    FinishInTurn(location, &state);
  } else if (state.stop == Stop::kNo) {
    Queue(location);
  }
  if (state.stop != Stop::kDone) turns.Set(state.thread, state.event.time);
  turns.WakeAll([&](const Turns::Waiter& waiter) {
    const LocationState& waits = locations_[waiter.location];
    if (waits.stop == Stop::kTurn && waits.stops == waiter.stops) Queue(waiter.location);
  });
}

void Engine::Enter(uint32_t location, LocationState* state) {
  const NodeFacts facts = ProcessAt(location).nodes.At(state->event.node);
  const bool folded = !state->frames.empty() && facts.path != kNone && facts.path == state->frames.back().frame.path;
  OpenFrame& open = state->frames.emplace_back();
  open.frame = {state->event.node, facts.path, facts.operation, state->ns};
  open.made_up = state->event.made_up;
  if (open.made_up) state->turn = kUnknownTurn;  // the records before it are missing
  open.folded = folded;
  if (facts.operation.role == Role::kTaskWait) EnterTaskWait(location, state);
  if (folded) return;
  for (Observer* observer : frames_) observer->Enter(location, open.frame);
}

void Engine::Leave(uint32_t location, LocationState* state, int64_t ns, bool cut) {
  if (state->frames.empty()) return;
  if (state->waiting.now && state->frames.size() <= state->waiting.depth) CutWait(location, state, ns, cut);
  if (!state->task_waits.empty()) LeaveTaskWait(location, state, ns);
  const OpenFrame open = state->frames.back();
  state->frames.pop_back();
  NoteTest(state, open);
  if (open.call != kNone) LeaveCall(open.call, ns, cut);
  if (open.frame.operation.role == Role::kProbe) NoteProbe(location, state, open, ns);
  if (IsOfMpi(open.frame.operation.role)) {
    state->sent = kNone;
    NoteLeftMpi(location, *state, open, ns);
  }
  NoteInterruption(location, *state, open, ns);
  if (open.gathering != kNone) LeaveBarrier(location, open, ns);
  if (!state->frames.empty() && state->frames.back().gathering != kNone) NoteTask(location, state, open, ns);
  if (open.task_run != kNone) {
    PauseTask(location, state->task_runs[open.task_run].task, ns);
    state->task_runs.resize(open.task_run);
  }
  if (IsCollective(open.frame.operation.role) && !cut) LeaveCollective(location, state);
  if (open.managed != kNone) LeaveManagement(location, open, ns);
  if (IsOfJob(open.frame.operation.role)) JoinJob(location, open, open.frame.enter, ns, cut);
  if (open.folded) return;
  for (Observer* observer : frames_) observer->Leave(location, open.frame, ns);
}

void Engine::NoteLeftMpi(uint32_t location, const LocationState& state, const OpenFrame& left, int64_t ns) {
  ProcessState& process = StateAt(location);
  if (process.mpi_thread == ProcessState::kNoThread) process.mpi_thread = state.thread;
  if (process.mpi_thread != state.thread) process.mpi_thread = ProcessState::kSeveralThreads;
  if (!left.made_up) process.left_mpi = ns;
  if (!left.made_up && left.communicates && !left.frame.operation.immediate) {
    process.probed = left.frame.operation.role == Role::kProbe;
    if (!process.probed) process.left_talk = ns;
  }
  ++process.mpi_calls;
}

void Engine::NoteInterruption(uint32_t location, const LocationState& state, const OpenFrame& left, int64_t ns) {
  if (state.frames.empty() || left.folded) return;
  if (LevelOf(state.frames.back().frame.operation.role) == Level::kPlain) return;
  interruptions_.Add(location, left.frame.enter, ns);
}

void Engine::NoteGap(uint32_t location) {
  ++totals.gaps;
  StateAt(location).partial = true;
  locations_[location].has_gap = true;
  locations_[location].turn = kUnknownTurn;
  locations_[location].send_mode = Mode::kStandard;
  locations_[location].failed = false;
  locations_[location].in_parts = false;
}

// Returns false when the location has stopped before the record, and will come to it again.
bool Engine::Record(uint32_t location, LocationState* state) {
  const RecordKind kind = state->event.kind;
  if (!HasOrder(kind)) {
    TakeWordOfNext(kind, state);
    if (kind == RecordKind::kCollectiveCall) TakeCollectiveCall(location, state);
    if (kind == RecordKind::kCollectivePeers) TakePeers(location, state);
    if (kind == RecordKind::kWindowSync) SynchroniseWindow(location, state);
    if (kind == RecordKind::kWindowLock) LockWindow(location, state);
    if (kind == RecordKind::kPut || kind == RecordKind::kGet || kind == RecordKind::kAtomic) Access(location, state);
    if (kind == RecordKind::kFork) Fork(location, state);
    if (kind == RecordKind::kTeamSize) NoteTeamSize(location, *state);
    if (kind == RecordKind::kJoin) Join(location, state);
    if (kind == RecordKind::kGap || kind == RecordKind::kSwitched) NoteGap(location);
    if (kind == RecordKind::kSendRefused) RefuseSend(location, state);
    return true;
  }
  state->sent = kNone;
  if (!state->forced && !IsItsTurn(location, state->event.time)) {
    WaitForTurn(location, state);
    return false;
  }
  const int64_t ns = state->ns;
  bool passed = true;
  if (state->at_node == 0 && !state->frames.empty()) state->frames.back().communicates = true;
  switch (kind) {
    case RecordKind::kCollectiveBegin: BeginCollective(location, state, ns); break;
    case RecordKind::kCollectiveEnd: passed = EndCollective(location, state, ns); break;
    case RecordKind::kTeamBegin:
    case RecordKind::kTeamEnd: Team(location, state, ns); break;
    case RecordKind::kBarrier: ComeToBarrier(location, state, ns); break;
    case RecordKind::kTaskCreate:
    case RecordKind::kTaskBegin:
    case RecordKind::kTaskSwitch:
    case RecordKind::kTaskEnd:
    case RecordKind::kTaskNeeds:
    case RecordKind::kTaskDetached:
    case RecordKind::kTaskFulfilled: TakeTask(location, state, ns); break;
    case RecordKind::kLockAcquire: Acquire(location, state, ns); break;
    case RecordKind::kLockRelease: Free(location, state, ns); break;
    case RecordKind::kIterationDone: FinishIteration(location, state, ns); break;
    case RecordKind::kIterationNeeded: NeedIteration(location, state, ns); break;
    case RecordKind::kLockWanted: WantLock(location, state, ns); break;
    case RecordKind::kLockGot: GetLock(location, state, ns); break;
    case RecordKind::kMutexTaken: HoldLock(location, *state); break;
    case RecordKind::kMutexReleased: GiveLock(location, *state, ns); break;
    case RecordKind::kThreadCreate:
    case RecordKind::kThreadBegin:
    case RecordKind::kThreadEnd: TakeBirth(location, state, ns); break;
    case RecordKind::kJoinWanted: WantEnd(location, state, ns); break;
    case RecordKind::kJoinGot: GetEnd(location, state, ns); break;
    case RecordKind::kSignalWanted: WantSignal(location, state, ns); break;
    case RecordKind::kSignal: GiveSignal(location, state, ns); break;
    case RecordKind::kSignalGot: GetSignal(location, state, ns); break;
    case RecordKind::kThreadBarrier: ComeToThreadBarrier(location, state, ns); break;
    default: passed = TakeMessage(location, state, ns); break;
  }
  if (passed) {
    state->at_node = 0;
    state->turn = kByOrder;
    state->send_mode = Mode::kStandard;
    state->failed = false;
    state->in_parts = false;
  }
  return passed;
}

// Records of messages and of requests.
bool Engine::TakeMessage(uint32_t location, LocationState* state, int64_t ns) {
  switch (state->event.kind) {
    case RecordKind::kSend: Send(location, state, ns, state->event.field, false); break;
    case RecordKind::kSendBegin: BeginSend(location, state, ns); break;
    case RecordKind::kSendReady: ReadySend(location, state, ns); break;
    case RecordKind::kSendEnd: SendEnd(location, state, ns); break;
    case RecordKind::kBufferEmpty: EmptyBuffer(location, state, ns); break;
    case RecordKind::kReceive: return Receive(location, state, ns, false);
    case RecordKind::kReceiveBegin: Posted(location, state, ns, state->event.field[0]); break;
    case RecordKind::kReceivePosted: Posted(location, state, ns, state->event.field[3]); break;
    case RecordKind::kProbe: NoteProbed(location, state); break;
    case RecordKind::kReceiveEnd: return Receive(location, state, ns, true);
    case RecordKind::kRequestCancelled: Cancelled(location, state); break;
    case RecordKind::kRequestFreed: FreeRequest(location, state, ns); break;
    case RecordKind::kFreedReceived: ReceiveFreed(location, state, ns); break;
    default: break;
  }
  return true;
}

// If calls are not logged, the begin of MPI_Finalize is known from its record.
void Engine::TakeCollectiveCall(uint32_t location, LocationState* state) {
  const uint64_t at_node = std::exchange(state->at_node, 0);
  if (at_node == 0) return NoteManagement(location, state);
  const NodeFacts facts = ProcessAt(location).nodes.At(at_node);
  if (IsManagement(facts.operation.role)) return unmatched.Add(Kind::kCollective, Reason::kCallNotLogged);
  if (facts.operation.role != Role::kFinalize) return;
  OpenFrame open;
  open.frame = {static_cast<uint32_t>(at_node), facts.path, facts.operation, state->ns};
  JoinJob(location, open, state->ns, state->ns, false);
}

// The calls of MPI by the threads of a process have one order, that of their common clock. REQUIRES: the location is
// the one that goes on.
bool Engine::IsItsTurn(uint32_t location, uint64_t ticks) const {
  return ticks <= processes_[world_.locations[location].process].turns.Least();
}

void Engine::WaitForTurn(uint32_t location, LocationState* state) {
  Halt(location, Stop::kTurn);
  StateAt(location).turns.Wait({state->event.time, location, state->stops});
}

// Open frames last until their process ended.
void Engine::ComeToEnd(uint32_t location, LocationState* state) {
  state->at_end = true;
  state->event.time = std::max(ProcessAt(location).end_ticks, state->event.time);
  state->ns = Ns(location, state->event.time);
}

// Until then, other threads may come to the barrier that an open frame is, or may get the lock that it waits for.
void Engine::FinishInTurn(uint32_t location, LocationState* state) {
  const bool is_its_turn = state->frames.empty() || state->forced || IsItsTurn(location, state->event.time);
  if (!is_its_turn) return WaitForTurn(location, state);
  Finish(location, state);
}

void Engine::Finish(uint32_t location, LocationState* state) {
  const int64_t end_ns = state->ns;
  while (!state->frames.empty()) Leave(location, state, end_ns, true);
  // A selection may have left the call out, but no other call comes after it.
  const Process& process = ProcessAt(location);
  if (process.finalize_path != kNone && process.end_ticks != 0 && process.locations.front() == location) {
    OpenFrame last;
    const int64_t last_ns = Ns(location, process.end_ticks);
    last.frame = {0, process.finalize_path, {Role::kFinalize}, end_ns};
    JoinJob(location, last, last_ns, last_ns, false);
  }
  state->stop = Stop::kDone;
  state->source.reset();
  if (--StateAt(location).open_locations == 0) TakeAllHeld(world_.locations[location].process);
  --open_;
}

void Engine::NoteViolation(int64_t by) {
  ++totals.violations;
  totals.worst_violation_ns = std::max(totals.worst_violation_ns, by);
}

Replay::Replay(const World* world, std::vector<std::unique_ptr<EventSource>> sources, TimeModel* time,
               std::vector<Observer*> observers)
    : engine_(std::make_unique<Engine>(world, std::move(sources), time, std::move(observers))) {}
Replay::~Replay() = default;
void Replay::Run(const std::function<void(uint64_t)>& progress, const archive::TimeLimit& limit) {
  engine_->Run(progress, limit);
}
const Unmatched& Replay::unmatched() const { return engine_->unmatched; }
const Totals& Replay::totals() const { return engine_->totals; }

}  // namespace epik::replay
