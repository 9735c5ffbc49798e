// SPDX-License-Identifier: BSD-3-Clause
// Cuts the time of each location into points and segments.
#include "analysis/graph/builder.h"

#include <algorithm>
#include <utility>

namespace epik::graph {

using replay::Role;

namespace {

// Whether `call` may have got the thing that calls like `asked` had asked for in vain: a request, or with MPI_Iprobe a
// message.
bool EndsPolling(const replay::Operation& call, const replay::Operation& asked) {
  const bool for_message = asked.asks == replay::Asks::kNo;
  if (call.role == Role::kTest) return for_message == (call.asks == replay::Asks::kNo);
  return call.role == Role::kReceive && !call.immediate && for_message;
}

}  // namespace

GraphBuilder::GraphBuilder(const replay::World* world, Graph* graph)
    : world_(*world),
      graph_(graph),
      states_(world->locations.size()),
      created_(world->processes.size()),
      made_(world->processes.size()) {}

void GraphBuilder::Begin(uint32_t location, int64_t ns) {
  State& state = states_[location];
  state.begun = true;
  state.now = ns;
  Idle(location, ns);
}

// Whether the trace has the calls of the location. Its part in a team may have begun before the first call is known.
bool GraphBuilder::HasCalls(uint32_t location) const {
  const State& state = states_[location];
  if (!state.begun) return false;
  if (!state.frames.empty()) return true;
  const bool has_only_begun = state.open == state.idle && graph_->size(location) == 1;
  return !state.unlogged && !has_only_begun;
}

void GraphBuilder::Charge(State* state, int64_t ns) {
  if (ns <= state->now) return;
  const uint32_t path = state->frames.empty() ? kNone : state->frames.back().path;
  state->segment.At(path).ns += ns - state->now;
  state->now = ns;
}

// The work of a thread until it gave back a lock of libc is a part of a segment. So a segment is short, unless a single
// call is long, and a new one begins with each of the calls right after the thread got a lock.
void GraphBuilder::CutLong(uint32_t location) {
  constexpr int64_t kMostNs = 1000000;
  State& state = states_[location];
  const bool may_hold = world_.processes[world_.locations[location].process].waits_for_locks;
  if (!may_hold || state.open != kNone || state.polling.IsLoop(state.now)) return;
  const bool cuts = state.fine > 0 || state.now - state.cut > kMostNs;
  if (state.fine > 0) --state.fine;
  if (cuts) Moment(location, PointKind::kSplit, state.now);
}

// A segment has no order, so a new one begins with the window. REQUIRES: the location is in no point.
void GraphBuilder::OpenWindow(uint32_t location, const replay::Frame& frame) {
  const replay::Process& process = world_.processes[world_.locations[location].process];
  if (!process.nodes.At(frame.node).opens_window) return;
  Moment(location, PointKind::kSplit, states_[location].now);
  graph_->OpenWindow(location, states_[location].now);
}

// Whether a loop does little more than ask. Otherwise it is work that asks now and then.
bool GraphBuilder::Polling::IsLoop(int64_t at) const {
  constexpr int64_t kLittleNs = 1000;
  return calls > 0 && at - left <= std::max(kLittleNs, left - entered);
}

// Notes one more call that asks.
void GraphBuilder::Poll(const Open& call, int64_t ns, Polling* polling) {
  if (polling->path != call.path) *polling = Polling();
  if (polling->IsLoop(ns)) polling->ns += ns - polling->left;
  polling->operation = call.operation;
  polling->path = call.path;
  polling->entered = ns;
  ++polling->calls;
}

// REQUIRES: the location is in no point.
void GraphBuilder::OpenPoint(uint32_t location, PointKind kind, const Open& frame, int64_t ns) {
  State& state = states_[location];
  Charge(&state, ns);
  Point& point = graph_->NewPoint(location, state.segment.all());
  point.begin = state.now;
  point.end = INT64_MAX;
  point.path = frame.path;
  point.kind = kind;
  point.operation = frame.operation;
  if (state.polling.calls > 0 && EndsPolling(frame.operation, state.polling.operation)) {
    point.polls = state.polling.calls;
    point.poll_path = state.polling.path;
    point.polled = state.polling.ns;
  }
  state.polling = Polling();
  state.open = graph_->size(location) - 1;
  state.point = &point;
  state.segment.Clear();
}

void GraphBuilder::ClosePoint(uint32_t location, int64_t ns) {
  State& state = states_[location];
  if (state.open == kNone) return;
  state.now = std::max(state.now, ns);
  graph_->EndPoint(state.point, state.now);
  state.open = kNone;
  state.cut = state.now;
}

void GraphBuilder::Moment(uint32_t location, PointKind kind, int64_t ns, replay::Operation operation) {
  const State& state = states_[location];
  OpenPoint(location, kind, {state.frames.empty() ? kNone : state.frames.back().path, Level::kPlain, operation}, ns);
  ClosePoint(location, ns);
}

void GraphBuilder::Idle(uint32_t location, int64_t ns) {
  OpenPoint(location, PointKind::kIdle, {kNone, Level::kPlain, {}}, ns);
  states_[location].idle = states_[location].open;
}

// A thread without a team is idle. A trace may have idleness as a call, but it is no work. Idleness ends when a team
// takes the thread. The first point of a location has no length.
bool GraphBuilder::IsIdle(uint32_t location, const replay::Frame& frame) const {
  const State& state = states_[location];
  return frame.operation.role == Role::kIdle && state.frames.empty() && state.open != kNone &&
         graph_->size(location) > 1;
}

void GraphBuilder::Enter(uint32_t location, const replay::Frame& frame) {
  State& state = states_[location];
  const int64_t ns = frame.enter;
  if (!state.begun) Begin(location, ns);
  if (IsIdle(location, frame)) {
    ++state.inside;
    return;
  }
  if (state.open != kNone) {
    state.point->interrupted = !state.frames.empty();
    ClosePoint(location, ns);
  } else {
    Charge(&state, ns);
    CutLong(location);
  }
  if (world_.has_windows) OpenWindow(location, frame);
  Level level = replay::LevelOf(frame.operation.role);
  const bool is_test = frame.operation.role == Role::kTest;
  if (is_test && std::exchange(state.test_completes, false)) level = Level::kCall;
  const Open open{frame.path, level, frame.operation, level != Level::kPlain};
  state.frames.push_back(open);
  if (level == Level::kPlain) {
    ++CellAt(location, frame.path).visits;
    if (is_test) Poll(open, state.now, &state.polling);
    return;
  }
  // The time until here was the caller's.
  OpenPoint(location, PointKind::kCall, open, ns);
}

// The place of a call path in the segment, which has room for it.
Cell& GraphBuilder::CellAt(uint32_t location, uint32_t path) {
  State& state = states_[location];
  if (state.segment.size() + 1 >= Graph::kMostCells) Moment(location, PointKind::kSplit, state.now);
  return state.segment.At(path);
}

// Skips calls that the source has added up. The location is in no point meanwhile.
void GraphBuilder::Skip(uint32_t location, const replay::Skipped& skipped) {
  State& state = states_[location];
  if (state.open != kNone || !state.begun) return;
  for (const replay::PathTime& time : skipped.times) {
    const int64_t ns = std::min(time.ns, skipped.until - state.now);
    Cell& cell = CellAt(location, time.path);
    cell.visits += time.visits;
    if (ns <= 0) continue;
    cell.ns += ns;
    state.now += ns;
  }
  CutLong(location);
}

void GraphBuilder::Leave(uint32_t location, const replay::Frame& /*frame*/, int64_t ns) {
  State& state = states_[location];
  if (state.inside > 0) {
    --state.inside;
    return;
  }
  if (state.frames.empty()) return;
  if (state.open != kNone) {
    ClosePoint(location, ns);
  } else {
    Charge(&state, ns);
    if (state.frames.back().operation.role == Role::kTest && state.polling.calls > 0) {
      state.polling.ns += state.now - state.polling.entered;
      state.polling.left = state.now;
    }
    CutLong(location);
  }
  state.frames.pop_back();
  if (state.frames.empty()) return Idle(location, ns);
  if (!state.frames.back().waits) return;
  OpenPoint(location, PointKind::kCall, state.frames.back(), ns);
  state.point->continues = true;
}

void GraphBuilder::Took(uint32_t location, int64_t ns) {
  State& state = states_[location];
  if (state.open == kNone || state.frames.empty() || state.frames.back().level != Level::kLock) return;
  if (replay::GivesMutex(state.frames.back().operation.role)) state.fine = replay::kFineAfterLock;
  state.frames.back().waits = false;
  ClosePoint(location, ns);
}

void GraphBuilder::Freed(uint32_t location, int64_t ns) {
  State& state = states_[location];
  if (!HasCalls(location)) return;
  if (state.open == kNone) return Moment(location, PointKind::kRelease, ns);
  if (state.frames.empty() || state.frames.back().level != Level::kLock) return;
  state.frames.back().waits = false;
  ClosePoint(location, ns);
}

void GraphBuilder::Forked(uint32_t location, uint64_t team, int64_t ns) {
  State& state = states_[location];
  if (!HasCalls(location) || state.open != kNone) return;
  Moment(location, PointKind::kFork, ns, {Role::kMakeTeam});
  if (state.forks.size() == kMostForks) state.forks.erase(state.forks.begin());
  state.forks.push_back({team, LastPoint(location)});
}

// The thread has joined all teams that it made within the team, too.
void GraphBuilder::Joined(uint32_t location, uint64_t team) {
  std::vector<Fork>& forks = states_[location].forks;
  const auto fork = std::find_if(forks.rbegin(), forks.rend(), [&](const Fork& made) { return made.team == team; });
  if (fork == forks.rend()) return;
  for (auto inner = forks.rbegin(); inner <= fork; ++inner) inner->joined = true;
  auto joined = static_cast<size_t>(std::count_if(forks.begin(), forks.end(), [](const Fork& f) { return f.joined; }));
  std::erase_if(forks, [&](const Fork& made) { return made.joined && joined-- > kJoinedKept; });
}

Place GraphBuilder::FindFork(uint32_t process, uint64_t team) {
  const uint32_t leader = world_.processes[process].threads.At(team >> 40).number;
  if (leader == kNone) return {};
  const std::vector<Fork>& forks = states_[leader].forks;
  const auto fork = std::find_if(forks.rbegin(), forks.rend(), [&](const Fork& made) { return made.team == team; });
  return fork == forks.rend() ? Place() : fork->place;
}

// Before the team was made, a worker was only waiting for it. The leader was not.
void GraphBuilder::Began(uint32_t location, uint64_t team, int64_t ns) {
  State& state = states_[location];
  const uint32_t process = world_.locations[location].process;
  if (world_.processes[process].threads.At(team >> 40).number == location) return;
  if (!state.begun) Begin(location, ns);
  BeginFrom(location, FindFork(process, team));
}

void GraphBuilder::BeginFrom(uint32_t location, Place fork) {
  const Place idle{location, states_[location].idle};
  if (graph_->At(idle).edge != kNone) return;
  Edge edge;
  edge.kind = EdgeKind::kFork;
  edge.partner = fork;
  if (!edge.partner.IsKnown() || edge.partner.location == location) return;
  edge.from = graph_->At(idle).begin;
  edge.to = std::min(graph_->At(edge.partner).begin, graph_->At(idle).end);
  graph_->AddEdge(idle, edge);
}

// The thread was created within a point: a call of MPI.
void GraphBuilder::Created(uint32_t location, uint64_t thread, int64_t ns) {
  State& state = states_[location];
  if (!state.begun) Begin(location, ns);
  if (state.open == kNone) Moment(location, PointKind::kFork, ns);
  created_[world_.locations[location].process][thread] = LastPoint(location);
}

// Another thread may have had the same location before. Between the two, the location had no thread.
void GraphBuilder::Born(uint32_t location, uint64_t thread, int64_t ns) {
  if (!states_[location].begun) Begin(location, ns);
  auto& created = created_[world_.locations[location].process];
  const auto found = created.find(thread);
  if (found == created.end()) return;
  BeginFrom(location, found->second);
  created.erase(found);
}

void GraphBuilder::TaskMade(uint32_t location, uint64_t task) {
  if (!states_[location].begun || states_[location].open != kNone) return;
  made_[world_.locations[location].process][task] = LastPoint(location);
}

// The thread was waiting in a barrier or for tasks, and begins this task there.
void GraphBuilder::TaskBegan(uint32_t location, uint64_t task, std::span<const replay::TaskReady> needs) {
  auto& made = made_[world_.locations[location].process];
  const auto found = made.find(task);
  const Place by = found == made.end() ? Place() : found->second;
  if (by.IsKnown()) made.erase(found);
  if (!states_[location].begun || !graph_->At(LastPoint(location)).interrupted) return;
  const Place barrier = LastPoint(location);
  if (by.IsKnown() && by.location != location) AddDependence(barrier, by, EdgeKind::kMade);
  NeedEnds(barrier, needs);
}

void GraphBuilder::AddDependence(Place place, Place partner, EdgeKind kind) {
  Edge edge;
  edge.kind = kind;
  edge.partner = partner;
  edge.from = edge.to = graph_->At(place).begin;
  graph_->AddEdge(place, edge);
}

void GraphBuilder::Released(uint32_t location, int64_t ns) {
  if (!states_[location].begun) Begin(location, ns);
  if (states_[location].open == kNone) Moment(location, PointKind::kRelease, ns);
  states_[location].fine = replay::kFineAfterLock;  // the thread that signals may have the mutex
}

// Its work with the mutex ends at a point.
void GraphBuilder::Holds(uint32_t location) { states_[location].fine = 0; }

void GraphBuilder::Handed(uint32_t location, int64_t ns) {
  if (!states_[location].begun) Begin(location, ns);
  if (states_[location].open == kNone) Moment(location, PointKind::kRelease, ns);
}

void GraphBuilder::Finish() {
  for (uint32_t l = 0; l < states_.size(); ++l) {
    State& state = states_[l];
    if (!state.begun) continue;
    if (state.open != kNone) ClosePoint(l, state.now);
    state.frames.clear();
    OpenPoint(l, PointKind::kEnd, {kNone, Level::kPlain, {}}, state.now);
    ClosePoint(l, state.now);
    state = State();
  }
}

}  // namespace epik::graph
