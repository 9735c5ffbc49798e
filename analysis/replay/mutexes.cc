// SPDX-License-Identifier: BSD-3-Clause
// Locks of libc. The trace says who had a lock when a thread began to wait for it, and when each one that had waited
// got it; nobody writes down a release. So a thread waits for who had the lock, then for each that got it before
// itself.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

void Engine::WantLock(uint32_t location, LocationState* state, int64_t ns) {
  if (state->waiting.now) EndWait(location, state, ns);
  Waiting& waiting = state->waiting;
  waiting.wait.call = Describe(location, state, ns);
  if (!waiting.wait.call.logged) return unmatched.Add(Kind::kLock, Reason::kCallNotLogged);
  waiting.now = true;
  waiting.lock = state->event.field[0];
  waiting.depth = state->frames.size();
  const uint32_t holder = ProcessAt(location).threads.At(state->event.field[1]).number;
  const int64_t begin = waiting.wait.call.enter;
  waiting.wait.stretches.assign(1, {holder != location ? holder : kNone, begin, begin});
  StateAt(location).lock_waiters.push_back(location);
}

// All others that wait for the lock wait for this one from now on.
void Engine::GetLock(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t lock = state->event.field[0];
  if (state->waiting.now && state->waiting.lock == lock) {
    for (Observer* observer : threads_) observer->Took(location, ns);
    EndWait(location, state, ns);
  }
  for (const uint32_t other : StateAt(location).lock_waiters) {
    if (locations_[other].waiting.lock != lock) continue;
    std::vector<ThreadWait::Stretch>& stretches = locations_[other].waiting.wait.stretches;
    stretches.back().to = std::max(stretches.back().from, ns);
    stretches.push_back({location, stretches.back().to, stretches.back().to});
  }
}

void Engine::EndWait(uint32_t location, LocationState* state, int64_t ns) {
  ThreadWait& wait = state->waiting.wait;
  wait.stretches.back().to = std::max(wait.stretches.back().from, ns);
  wait.call.leave = wait.stretches.back().to;
  state->waiting.now = false;
  std::erase(StateAt(location).lock_waiters, location);
  for (Observer* observer : teams_) observer->Waited(wait);
}

}  // namespace epik::replay
