// SPDX-License-Identifier: BSD-3-Clause
// Locks of windows. Processes had a lock in the order in which they gave it back.
#include <algorithm>
#include <map>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

uint64_t PairOf(uint32_t origin, uint32_t target) { return uint64_t{origin} << 32 | target; }

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

void Engine::Unlock(WindowState* window, const Call& call, int32_t target) {
  const uint32_t process = world_.locations[call.location].process;
  const auto held = window->held.find(PairOf(process, static_cast<uint32_t>(target)));
  if (held == window->held.end()) return unmatched.Add(Kind::kEpoch, Reason::kNoBegin);
  held->second.ended = call;
  window->locks.push_back(held->second);
  window->held.erase(held);
}

// A process that shares a lock waits for the last one that had it alone, and a process that wants it alone waits for
// all that shared it. A call that asks for a lock need not wait for it, and an access need not wait either. So the wait
// belongs to the first of three calls that was still going on when the lock became free: the call that asks, the
// longest access, and the call that gives the lock back.
void Engine::TellLocks(WindowState* window) {
  using Lock = WindowState::Lock;
  struct Target {
    const Lock* alone = nullptr;
    std::vector<const Lock*> shared;  // since the last exclusive lock
    size_t of_all = 0;                // the number of locks of all targets that came before `alone`
  };
  std::stable_sort(window->locks.begin(), window->locks.end(),
                   [](const Lock& a, const Lock& b) { return a.ended.leave < b.ended.leave; });
  WindowWait asks, accesses, gives;
  const auto need = [&](const Lock& lock, const Lock* before) {
    if (before == nullptr || before->ended.location == lock.ended.location) return;
    const int64_t free = before->ended.enter;
    WindowWait& wait = free <= lock.begun.leave ? asks : lock.accesses.Contain(free) ? accesses : gives;
    wait.needed.push_back(before->ended);
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
  std::map<int32_t, Target> targets;
  std::vector<const Lock*> of_all;
  for (const Lock& lock : window->locks) {
    if (lock.target < 0) {
      for (const auto& [rank, target] : targets) need(lock, target.alone);
      of_all.push_back(&lock);
      tell(lock);
      continue;
    }
    Target& target = targets[lock.target];
    const bool is_shared_since = !target.shared.empty() || target.of_all < of_all.size();
    if (!lock.exclusive || !is_shared_since) need(lock, target.alone);
    if (!lock.exclusive) {
      target.shared.push_back(&lock);
      tell(lock);
      continue;
    }
    for (const Lock* before : target.shared) need(lock, before);
    for (size_t i = target.of_all; i < of_all.size(); ++i) need(lock, of_all[i]);
    tell(lock);
    target = {&lock, {}, of_all.size()};
  }
}

}  // namespace epik::replay
