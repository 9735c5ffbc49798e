// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: which calls on a window could not end before others had begun.
//
// The n-th fences of all processes belong together, as do the n-th exposure of a process to another one and the n-th
// access of that one to it. The order in which processes had a lock is that in which they gave it back.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

uint64_t PairOf(uint32_t origin, uint32_t target) { return uint64_t{origin} << 32 | target; }

}  // namespace

// Null: nobody wants to know, or the call that the record is of is not in the trace.
WindowState* Engine::WindowOf(uint32_t location, uint64_t number, uint32_t* communicator) {
  if (windows_wanted_.empty() || StateAt(location).partial) return nullptr;
  const uint32_t window = ProcessAt(location).windows.At(number).number;
  if (window >= world_.windows.size() || world_.windows[window] == kNone) return nullptr;
  *communicator = world_.windows[window];
  return &windows_[window];
}

void Engine::TellSynchronised(const Call& call, const Call& needed) {
  if (call.location == needed.location) return;
  for (Observer* observer : windows_wanted_) observer->Synchronised(call, needed);
}

void Engine::SynchroniseWindow(uint32_t location, LocationState* state) {
  const int64_t ns = Ns(location, state->event.time);
  Call call = Describe(location, state, ns);
  call.leave = ns;
  state->at_node = 0;
  uint32_t communicator = kNone;
  WindowState* window = WindowOf(location, state->event.field[1], &communicator);
  if (window == nullptr || !call.logged) return;
  const uint32_t process = world_.locations[location].process;
  const auto peer = static_cast<int32_t>(state->event.field[2]);
  switch (call.operation.role) {
    case Role::kFence: return Fence(communicator, window, call);
    case Role::kPost:
    case Role::kBeginAccess: {
      auto& all = call.operation.role == Role::kPost ? window->exposing : window->accessing;
      WindowState::Open& open = all[process];
      if (open.begun.enter != call.enter) open = {call, {}};
      open.begun.leave = ns;
      if (const uint32_t other = world_.ProcessOf(peer); other != kNone) open.partners.push_back(other);
      return;
    }
    case Role::kEndAccess: return EndAccess(window, call);
    case Role::kTest:  // MPI_Win_test, when it found that all have ended
    case Role::kEndExposure: return EndExposure(window, call);
    case Role::kUnlockWindow: {
      const auto held = window->held.find(PairOf(process, static_cast<uint32_t>(peer)));
      if (held == window->held.end()) return;
      held->second.epoch.ended = call;
      window->locks.push_back(held->second);
      window->held.erase(held);
      return;
    }
    default: return;
  }
}

void Engine::LockWindow(uint32_t location, LocationState* state) {
  const int64_t ns = Ns(location, state->event.time);
  WindowState::Lock lock;
  lock.epoch.begun = Describe(location, state, ns);
  lock.epoch.begun.leave = ns;
  state->at_node = 0;
  uint32_t communicator = kNone;
  WindowState* window = WindowOf(location, state->event.field[1], &communicator);
  if (window == nullptr || !lock.epoch.begun.logged) return;
  lock.target = std::max(static_cast<int32_t>(state->event.field[2]), -1);
  lock.exclusive = state->event.field[3] != 0;
  window->held[PairOf(world_.locations[location].process, static_cast<uint32_t>(lock.target))] = lock;
}

// Fences of which a process is not in the trace are known by nobody.
void Engine::Fence(uint32_t communicator, WindowState* window, const Call& call) {
  const CommunicatorState& members = StateOf(communicator);
  const uint64_t number = window->fences_of[world_.locations[call.location].process]++;
  std::vector<Call>& calls = window->fences[number].calls;
  calls.push_back(call);
  if (calls.size() < members.ranks.size()) return;
  for (Observer* observer : windows_wanted_) observer->Fenced(calls);
  window->fences.erase(number);
}

void Engine::EndAccess(WindowState* window, const Call& call) {
  const uint32_t process = world_.locations[call.location].process;
  const auto open = window->accessing.find(process);
  if (open == window->accessing.end()) return;
  for (const uint32_t target : open->second.partners) {
    WindowState::Pair& pair = window->pairs[PairOf(process, target)];
    pair.accesses.push_back({open->second.begun, call});
    TellEpochs(&pair);
  }
  window->accessing.erase(open);
}

void Engine::EndExposure(WindowState* window, const Call& call) {
  const uint32_t process = world_.locations[call.location].process;
  const auto open = window->exposing.find(process);
  if (open == window->exposing.end()) return;
  for (const uint32_t origin : open->second.partners) {
    WindowState::Pair& pair = window->pairs[PairOf(origin, process)];
    pair.exposures.push_back({open->second.begun, call});
    TellEpochs(&pair);
  }
  window->exposing.erase(open);
}

// MPI_Win_start may wait for the other side or leave that to MPI_Win_complete: one that ended before did not wait.
void Engine::TellEpochs(WindowState::Pair* pair) {
  while (!pair->accesses.empty() && !pair->exposures.empty()) {
    const WindowState::Epoch access = pair->accesses.front(), exposure = pair->exposures.front();
    pair->accesses.pop_front();
    pair->exposures.pop_front();
    if (exposure.begun.enter <= access.begun.leave) TellSynchronised(access.begun, exposure.begun);
    TellSynchronised(access.ended, exposure.begun);
    TellSynchronised(exposure.ended, access.ended);
  }
}

void Engine::EndWindows() {
  for (auto& [number, window] : windows_) TellLocks(&window);
  windows_.clear();
}

// Who shares a lock waits for the last one that had it alone, and that one for all that shared it. A call that asks for
// a lock need not wait for it: one that ended before the lock could be free did not, and the call that gives it back
// did.
void Engine::TellLocks(WindowState* window) {
  using Lock = WindowState::Lock;
  struct Target {
    const Lock* alone = nullptr;
    std::vector<const Lock*> shared;  // since then
    size_t of_all = 0;                // of those of all targets: so many came before `alone`
  };
  std::stable_sort(window->locks.begin(), window->locks.end(),
                   [](const Lock& a, const Lock& b) { return a.epoch.ended.leave < b.epoch.ended.leave; });
  const auto need = [&](const Lock& lock, const Lock* before) {
    if (before == nullptr) return;
    const bool at_once = before->epoch.ended.enter <= lock.epoch.begun.leave;
    TellSynchronised(at_once ? lock.epoch.begun : lock.epoch.ended, before->epoch.ended);
  };
  std::map<int32_t, Target> targets;
  std::vector<const Lock*> of_all;
  for (const Lock& lock : window->locks) {
    if (lock.target < 0) {
      for (const auto& [rank, target] : targets) need(lock, target.alone);
      of_all.push_back(&lock);
      continue;
    }
    Target& target = targets[lock.target];
    const bool is_shared_since = !target.shared.empty() || target.of_all < of_all.size();
    if (!lock.exclusive || !is_shared_since) need(lock, target.alone);
    if (!lock.exclusive) {
      target.shared.push_back(&lock);
      continue;
    }
    for (const Lock* before : target.shared) need(lock, before);
    for (size_t i = target.of_all; i < of_all.size(); ++i) need(lock, of_all[i]);
    target = {&lock, {}, of_all.size()};
  }
}

}  // namespace epik::replay
