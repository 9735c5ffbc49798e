// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: which calls on a window could not end before other calls had begun.
//
// The n-th fences of all processes belong together. So do the n-th exposure of a process to another one and the n-th
// access of that other process. Locks are in window_locks.cc.
#include <algorithm>
#include <utility>

#include "analysis/replay/engine.h"

namespace epik::replay {

// Returns null when no observer wants windows, or when the call of the record is not in the trace.
WindowState* Engine::WindowOf(uint32_t location, uint64_t number, uint32_t* communicator) {
  if (windows_wanted_.empty()) return nullptr;
  if (StateAt(location).partial) {
    unmatched.Add(Kind::kEpoch, Reason::kOutOfStep);
    return nullptr;
  }
  const uint32_t window = ProcessAt(location).windows.At(number).number;
  if (window >= world_.windows.size() || world_.windows[window] == kNone) {
    unmatched.Add(Kind::kEpoch, Reason::kUnknownMembers);
    return nullptr;
  }
  *communicator = world_.windows[window];
  return &windows_[window];
}

void Engine::SynchroniseWindow(uint32_t location, LocationState* state) {
  const int64_t ns = state->ns;
  Call call = Describe(location, *state, ns);
  call.leave = ns;
  state->at_node = 0;
  const auto peer = static_cast<int32_t>(state->event.field[2]);
  if (call.operation.role == Role::kFlush) return Access(location, state);
  if (ProcessAt(location).regions.At(state->event.field[0]).role == Role::kNone) return;  // MPI_Win_sync is no epoch
  uint32_t communicator = kNone;
  WindowState* window = WindowOf(location, state->event.field[1], &communicator);
  if (window == nullptr) return;
  if (!call.logged) return unmatched.Add(Kind::kEpoch, Reason::kCallNotLogged);
  switch (call.operation.role) {
    case Role::kFence: return Fence(communicator, window, call);
    case Role::kPost:
    case Role::kBeginAccess: return OpenEpoch(window, call, peer);
    case Role::kEndAccess: return EndAccess(window, call);
    case Role::kTest:  // MPI_Win_test, when it found that all have ended
    case Role::kEndExposure: return EndExposure(window, call);
    case Role::kUnlockWindow: return Unlock(communicator, window, call, peer);
    default: return;
  }
}

// Each partner has its record.
void Engine::OpenEpoch(WindowState* window, const Call& call, int32_t partner) {
  auto& all = call.operation.role == Role::kPost ? window->exposing : window->accessing;
  WindowState::Open& open = all[world_.locations[call.location].process];
  if (open.begun.enter != call.enter) open = {call, {}, {}};
  open.begun.leave = call.leave;
  if (const uint32_t other = world_.ProcessOf(partner); other != kNone) {
    open.partners.push_back(other);
  } else {
    unmatched.Add(Kind::kEpoch, Reason::kNotTraced);
  }
}

// The access belongs to the epoch that its process has open for the target, whatever its kind. A flush of all targets
// (-1) belongs to the lock of all targets that the process holds.
void Engine::Access(uint32_t location, LocationState* state) {
  const bool is_sync = state->event.kind == event::RecordKind::kWindowSync;
  const auto target = static_cast<int32_t>(state->event.field[is_sync ? 2 : 0]);
  const uint64_t number = state->event.field[1];
  const int64_t ns = state->ns;
  Call call = Describe(location, *state, ns);
  call.leave = ns;
  state->at_node = 0;
  const uint32_t global = ProcessAt(location).windows.At(number).number;
  const auto known = windows_.find(global);
  if (known == windows_.end() || StateAt(location).partial) return;
  WindowState& window = known->second;
  const uint32_t process = world_.locations[location].process;
  for (const int32_t holder : {target, -1}) {
    const auto held = window.held.find(PairOf(process, static_cast<uint32_t>(holder)));
    if (held == window.held.end()) continue;
    held->second.accesses.Add(call);
    return;
  }
  const uint32_t other = world_.ProcessOf(target);
  if (other == kNone || is_sync) return;
  const auto open = window.accessing.find(process);
  if (open != window.accessing.end()) {
    open->second.accesses[other].Add(call);
  } else if (const auto fences = window.fences_of.find(process); fences != window.fences_of.end()) {
    window.fences[fences->second].accesses[PairOf(process, other)].Add(call);
  }
}

// Fences are unknown if a process is not in the trace.
void Engine::Fence(uint32_t communicator, WindowState* window, const Call& call) {
  const CommunicatorState& members = StateOf(communicator);
  const uint64_t number = window->fences_of[world_.locations[call.location].process]++;
  WindowState::Fence& fence = window->fences[number];
  fence.calls.push_back(call);
  if (fence.calls.size() < members.ranks.size()) return;
  TellFence(members, &fence);
  window->fences.erase(number);
}

void Engine::TellFence(const CommunicatorState& members, WindowState::Fence* fence) {
  const size_t count = fence->calls.size();
  std::vector<int64_t> accessed(count, INT64_MIN);
  std::vector<uint64_t> needed(count);
  std::unordered_map<uint32_t, size_t> place_of;
  for (size_t c = 0; c < count; ++c) place_of[world_.locations[fence->calls[c].location].process] = c;
  for (const auto& [pair, accesses] : fence->accesses) {
    const auto origin = static_cast<uint32_t>(pair >> 32), target = static_cast<uint32_t>(pair);
    const auto from = place_of.find(origin), to = place_of.find(target);
    if (origin == target || from == place_of.end() || to == place_of.end()) continue;
    accessed[to->second] = std::max(accessed[to->second], accesses.last);
    ++needed[from->second];
    const bool both = fence->accesses.contains(PairOf(target, origin));
    needed[to->second] += both ? 0 : 1;
  }
  for (Observer* observer : windows_wanted_) {
    observer->Fenced({fence->calls, accessed});
    for (size_t c = 0; c < count; ++c) {
      observer->Paired({fence->calls[c], members.ranks.size() - 1, members.ranks.size() - 1 - needed[c]});
    }
  }
}

void Engine::EndAccess(WindowState* window, const Call& call) {
  const uint32_t process = world_.locations[call.location].process;
  const auto open = window->accessing.find(process);
  if (open == window->accessing.end()) return;  // an epoch without partners
  auto begin_needs = std::make_shared<WindowState::Needs>(), end_needs = std::make_shared<WindowState::Needs>();
  begin_needs->wait.call = open->second.begun;
  end_needs->wait.call = call;
  end_needs->ends = true;
  begin_needs->unknown = end_needs->unknown = open->second.partners.size();
  for (const uint32_t target : open->second.partners) {
    WindowState::Pair& pair = window->pairs[PairOf(process, target)];
    pair.accesses.push_back({open->second.begun, call, begin_needs, end_needs, open->second.accesses[target]});
    TellEpochs(&pair);
  }
  window->accessing.erase(process);
}

void Engine::EndExposure(WindowState* window, const Call& call) {
  const uint32_t process = world_.locations[call.location].process;
  const auto open = window->exposing.find(process);
  if (open == window->exposing.end()) return;
  auto needs = std::make_shared<WindowState::Needs>();
  needs->wait.call = call;
  needs->wait.why = WindowWait::Why::kComplete;
  needs->ends = true;
  needs->unknown = open->second.partners.size();
  for (const uint32_t origin : open->second.partners) {
    WindowState::Pair& pair = window->pairs[PairOf(origin, process)];
    pair.exposures.push_back({open->second.begun, call, nullptr, needs, {}});
    TellEpochs(&pair);
  }
  window->exposing.erase(process);
}

// MPI_Win_start may wait for the other side, or leave that to the first access or to MPI_Win_complete: a call that
// ended before did not wait.
void Engine::TellEpochs(WindowState::Pair* pair) {
  while (!pair->accesses.empty() && !pair->exposures.empty()) {
    const WindowState::Side access = std::move(pair->accesses.front()), exposure = std::move(pair->exposures.front());
    pair->accesses.pop_front();
    pair->exposures.pop_front();
    const Call& post = exposure.begun;
    const bool starts = post.enter <= access.begun.leave;
    if (starts) access.begin_needs->wait.needed.push_back(post);
    if (!starts && access.accesses.Contain(post.enter)) {
      WindowWait wait;
      wait.call = access.accesses.longest;
      wait.needed.push_back(post);
      for (Observer* observer : windows_wanted_) observer->Synchronised(wait);
    }
    access.end_needs->wait.needed.push_back(post);
    exposure.end_needs->wait.needed.push_back(access.ended);
    int64_t& accessed = exposure.end_needs->wait.accessed;
    accessed = std::max(accessed, access.accesses.last);
    for (WindowState::Needs* needs : {access.end_needs.get(), exposure.end_needs.get()}) {
      ++needs->pairs.partners;
      needs->pairs.unneeded += access.accesses.IsThere() ? 0 : 1;
    }
    for (WindowState::Needs* needs : {access.begin_needs.get(), access.end_needs.get(), exposure.end_needs.get()}) {
      if (--needs->unknown == 0) TellNeeds(needs);
    }
  }
}

void Engine::TellNeeds(WindowState::Needs* needs) {
  std::vector<Call>& needed = needs->wait.needed;
  const uint32_t own = needs->wait.call.location;
  std::erase_if(needed, [&](const Call& call) { return call.location == own; });
  std::stable_sort(needed.begin(), needed.end(), [](const Call& a, const Call& b) { return a.enter < b.enter; });
  needs->pairs.call = needs->wait.call;
  for (Observer* observer : windows_wanted_) {
    if (!needed.empty()) observer->Synchronised(needs->wait);
    if (needs->ends) observer->Paired(needs->pairs);
  }
}

// The remaining epochs have no other side.
void Engine::EndWindows() {
  for (auto& [number, window] : windows_) {
    TellLocks(&window, INT64_MAX);
    for (const auto& [fence, its] : window.fences) {
      const uint32_t communicator = world_.windows[number];
      const bool all = StateOf(communicator).traced == StateOf(communicator).ranks.size();
      unmatched.Add(Kind::kEpoch, all ? Reason::kNoPartner : Reason::kNotTraced, its.calls.size());
    }
    for (const auto& [key, pair] : window.pairs) {
      unmatched.Add(Kind::kEpoch, Reason::kNoPartner, pair.accesses.size() + pair.exposures.size());
    }
    unmatched.Add(Kind::kEpoch, Reason::kNoEnd, window.accessing.size() + window.exposing.size() + window.held.size());
  }
  windows_.clear();
}

}  // namespace epik::replay
