// SPDX-License-Identifier: BSD-3-Clause
// Locks of libc. The trace says which thread had a lock when another one began to wait for it, when each thread that
// had waited got it, and when such a thread gave a mutex back. It has no releases by threads that found the lock free.
// So a thread waits for the thread that had the lock, and then for each thread that got it before.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

void Engine::WantLock(uint32_t location, LocationState* state, int64_t ns) {
  const uint32_t holder = ProcessAt(location).threads.At(state->event.field[1]).number;
  if (!BeginWait(location, state, ns, {holder != location ? holder : kNone})) return;
  StateAt(location).lock_waiters.push_back(location);
}

void Engine::HoldLock(uint32_t location, const LocationState& state) {
  if (state.frames.empty() || state.at_node != 0) return;
  for (Observer* observer : threads_) observer->Holds(location);
}

void Engine::GiveLock(uint32_t location, const LocationState& state, int64_t ns) {
  if (state.frames.empty() || state.at_node != 0) return;
  for (Observer* observer : threads_) observer->Handed(location, ns);
}

// All other threads that wait for the lock wait for this one from now on.
void Engine::GetLock(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t lock = state->event.field[0];
  const Waiting& mine = state->waiting;
  if (mine.now && mine.what() == ThreadWait::What::kMutex && mine.object == lock) {
    for (Observer* observer : threads_) observer->Took(location, ns);
    EndWait(location, state, ns);
  }
  TellOthers(location, lock, ns);
}

// A thread that waits for a condition wants its mutex as soon as another thread signals.
void Engine::TellOthers(uint32_t location, uint64_t lock, int64_t ns) {
  constexpr size_t kMostGets = 64;
  for (const uint32_t other : StateAt(location).lock_waiters) {
    Waiting& waiting = locations_[other].waiting;
    if (waiting.IsForSignal()) {
      const bool wants = waiting.mutex == lock && !SignalOf(other, waiting.object).given.empty();
      if (wants && waiting.gets.size() < kMostGets) waiting.gets.emplace_back(location, ns);
      continue;
    }
    if (waiting.object != lock) continue;
    std::vector<ThreadWait::Stretch>& stretches = waiting.wait.stretches;
    stretches.back().to = std::max(stretches.back().from, ns);
    stretches.push_back({location, stretches.back().to, stretches.back().to});
  }
}

}  // namespace epik::replay
