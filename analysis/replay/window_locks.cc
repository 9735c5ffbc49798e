// SPDX-License-Identifier: BSD-3-Clause
// Locks of windows. Processes had a lock in the order in which they gave it back. That order is known as far as all
// processes of the window have come.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

using Given = WindowState::Given;

// Removes locks that were given back before any process that has not got its lock yet asked for it, except for the last
// one of each location: nobody waits for the others, and who comes after the last one comes after them.
void ForgetPassed(std::vector<Given>* given, int64_t asked) {
  std::unordered_map<uint32_t, uint64_t> last;  // the number, by location
  for (const Given& lock : *given) {
    if (lock.call.enter <= asked) last[lock.call.location] = lock.number;
  }
  std::erase_if(*given,
                [&](const Given& lock) { return lock.call.enter <= asked && last[lock.call.location] != lock.number; });
}

}  // namespace

void Engine::LockWindow(uint32_t location, LocationState* state) {
  const int64_t ns = state->ns;
  WindowState::Lock lock;
  lock.begun = Describe(location, *state, ns);
  lock.begun.leave = ns;
  state->at_node = 0;
  uint32_t communicator = kNone;
  WindowState* window = WindowOf(location, state->event.field[1], &communicator);
  if (window == nullptr) return;
  if (!lock.begun.logged) return unmatched.Add(Kind::kEpoch, Reason::kCallNotLogged);
  lock.target = std::max(static_cast<int32_t>(state->event.field[2]), -1);
  lock.exclusive = state->event.field[3] != 0;
  window->held[PairOf(world_.locations[location].process, static_cast<uint32_t>(lock.target))] = lock;
}

void Engine::Unlock(uint32_t communicator, WindowState* window, const Call& call, int32_t target) {
  const uint32_t process = world_.locations[call.location].process;
  const auto held = window->held.find(PairOf(process, static_cast<uint32_t>(target)));
  if (held == window->held.end()) return unmatched.Add(Kind::kEpoch, Reason::kNoBegin);
  held->second.ended = call;
  window->locks.push_back(held->second);
  window->held.erase(held);
  totals.most_locks = std::max(totals.most_locks, window->locks.size() + window->kept);
  if (window->locks.size() < window->tell_at) return;
  const auto [come, asked] = ReachedBy(communicator, *window);
  TellLocks(window, come);
  ForgetPassed(&window->of_all, asked);
  window->kept = window->of_all.size();
  for (auto& [rank, its] : window->targets) {
    ForgetPassed(&its.shared, asked);
    window->kept += its.shared.size();
  }
  window->tell_at = window->locks.size() + std::max(WindowState::kTellAt, window->locks.size() + window->kept);
}

// Returns the time to which all processes of the window have come, so that each gives its next lock back later, and the
// earliest time at which one of them may have asked for such a lock.
std::pair<int64_t, int64_t> Engine::ReachedBy(uint32_t communicator, const WindowState& window) const {
  int64_t come = INT64_MAX, asked = INT64_MAX;
  const Communicator& members = world_.communicators[communicator];
  for (const std::vector<int32_t>* ranks : {&members.ranks, &members.remote}) {
    for (const int32_t rank : *ranks) {
      const uint32_t process = world_.ProcessOf(rank);
      if (process == kNone) continue;
      for (const uint32_t l : world_.processes[process].locations) {
        const LocationState& state = locations_[l];
        if (state.stop == Stop::kDone) continue;
        come = std::min(come, state.ns);
        for (const OpenFrame& open : state.frames) {
          if (open.frame.operation.role == Role::kLockWindow) asked = std::min(asked, open.frame.enter);
        }
      }
    }
  }
  asked = std::min(asked, come);
  for (const auto& [pair, lock] : window.held) asked = std::min(asked, lock.begun.enter);
  for (const WindowState::Lock& lock : window.locks) {
    if (lock.ended.leave > come) asked = std::min(asked, lock.begun.enter);
  }
  return {come, asked};
}

// A process that shares a lock waits for the last one that had it alone, and a process that wants it alone waits for
// all that shared it. A call that asks for a lock need not wait for it, and an access need not wait either. So the wait
// belongs to the first of three calls that was still going on when the lock became free: the call that asks, the
// longest access, and the call that gives the lock back. Tells of the locks that were given back until then.
void Engine::TellLocks(WindowState* window, int64_t until) {
  using Lock = WindowState::Lock;
  std::stable_sort(window->locks.begin(), window->locks.end(),
                   [](const Lock& a, const Lock& b) { return a.ended.leave < b.ended.leave; });
  WindowWait asks, accesses, gives;
  const auto need = [&](const Lock& lock, const Call& before) {
    if (before.location == kNone || before.location == lock.ended.location) return;
    const int64_t free = before.enter;
    WindowWait& wait = free <= lock.begun.leave ? asks : lock.accesses.Contain(free) ? accesses : gives;
    wait.needed.push_back(before);
  };
  const auto tell = [&](const Lock& lock) {
    asks.call = lock.begun;
    accesses.call = lock.accesses.longest;
    gives.call = lock.ended;
    for (WindowWait* wait : {&asks, &accesses, &gives}) {
      wait->why = WindowWait::Why::kLock;
      std::stable_sort(wait->needed.begin(), wait->needed.end(),
                       [](const Call& a, const Call& b) { return a.enter < b.enter; });
      if (wait->needed.empty()) continue;
      for (Observer* observer : windows_wanted_) observer->Synchronised(*wait);
      wait->needed.clear();
    }
  };
  size_t told = 0;
  for (; told < window->locks.size() && window->locks[told].ended.leave <= until; ++told) {
    const Lock& lock = window->locks[told];
    if (lock.target < 0) {
      for (const auto& [rank, target] : window->targets) need(lock, target.alone);
      window->of_all.push_back({lock.ended, window->next_of_all++});
      tell(lock);
      continue;
    }
    WindowState::Target& target = window->targets[lock.target];
    const bool is_shared_since = !target.shared.empty() || target.of_all < window->next_of_all;
    if (!lock.exclusive || !is_shared_since) need(lock, target.alone);
    if (!lock.exclusive) {
      target.shared.push_back({lock.ended, target.next_shared++});
      tell(lock);
      continue;
    }
    for (const Given& before : target.shared) need(lock, before.call);
    for (const Given& before : window->of_all) {
      if (before.number >= target.of_all) need(lock, before.call);
    }
    tell(lock);
    target = {lock.ended, {}, 0, window->next_of_all};
  }
  window->locks.erase(window->locks.begin(), window->locks.begin() + static_cast<ptrdiff_t>(told));
}

}  // namespace epik::replay
