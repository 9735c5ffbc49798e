// SPDX-License-Identifier: BSD-3-Clause
// Conditions, semaphores and once of libc. The trace does not tell which thread a signal wakes. A thread that comes
// back had the first free signal after it began to wait. A thread that comes back without a signal depends on nobody.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

using What = ThreadWait::What;

void Engine::WantSignal(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t object = state->event.field[0], mutex = state->event.field[1];
  const Role role = state->frames.empty() ? Role::kNone : state->frames.back().frame.operation.role;
  const bool is_condition = mutex != 0 || role == Role::kCondition;  // else a word in memory, without a mutex
  const What what = is_condition ? What::kSignal : role == Role::kJoin ? What::kOnce : What::kPost;
  if (!BeginWait(location, state, ns, {kNone, 0, 0, what})) return;
  state->waiting.since = ns;
  state->waiting.mutex = mutex;
  state->waiting.gets.clear();
  SignalOf(location, object).waiters.push_back(location);
  if (mutex != 0) StateAt(location).lock_waiters.push_back(location);
}

// A condition forgets a signal that nobody waits for. A semaphore keeps it, but a thread that does not wait may have
// taken the first post without a record.
void Engine::GiveSignal(uint32_t location, LocationState* state, int64_t ns) {
  auto& signals = StateAt(location).signals;
  const auto found = signals.find(state->event.field[0]);
  if (found == signals.end()) return;
  SignalState& signal = found->second;
  if (!state->frames.empty() && state->at_node == 0) {
    for (Observer* observer : threads_) observer->Released(location, ns);
  }
  const bool is_post = locations_[signal.waiters.front()].waiting.what() == What::kPost;
  if (is_post && signal.given.size() == signal.waiters.size()) signal.given.pop_front();
  const size_t most = state->event.field[1] != 0 ? signal.waiters.size() : signal.given.size() + 1;
  while (signal.given.size() < std::min(most, signal.waiters.size())) signal.given.push_back({location, ns});
}

// After the signal, the thread waits for its mutex: for the thread that signalled, as far as the trace tells, and then
// for each thread that got the mutex before. For a semaphore, the time of the call after the post is no waiting.
void Engine::GetSignal(uint32_t location, LocationState* state, int64_t ns) {
  Waiting& waiting = state->waiting;
  if (!waiting.now || !waiting.IsForSignal() || waiting.object != state->event.field[0]) return;
  for (Observer* observer : threads_) observer->Took(location, ns);
  std::deque<SignalState::Given>& given = SignalOf(location, waiting.object).given;
  auto had = given.end();
  if (state->event.field[1] != 0) {
    had = std::find_if(given.begin(), given.end(), [&](const auto& one) { return one.ns >= waiting.since; });
  }
  int64_t until = ns;
  if (had != given.end()) {
    ThreadWait::Stretch last = waiting.wait.stretches.back();
    last.whom = had->by;
    last.to = std::max(last.from, had->ns);
    waiting.wait.stretches.back() = last;
    if (waiting.mutex == 0) until = last.to;
    given.erase(had);
    if (waiting.mutex != 0) {
      std::vector<ThreadWait::Stretch>& stretches = waiting.wait.stretches;
      stretches.push_back({last.whom, last.to, last.to, What::kMutex});
      for (const auto& [who, when] : waiting.gets) {
        if (when < last.to || who == location) continue;
        stretches.back().to = when;
        stretches.push_back({who, when, when, What::kMutex});
      }
    }
  }
  const uint64_t mutex = waiting.mutex;
  EndWait(location, state, until);
  if (mutex != 0) TellOthers(location, mutex, ns);
}

void Engine::LeaveSignal(uint32_t location) {
  auto& signals = StateAt(location).signals;
  const auto found = signals.find(locations_[location].waiting.object);
  if (found == signals.end()) return;
  SignalState& signal = found->second;
  std::erase(signal.waiters, location);
  while (signal.given.size() > signal.waiters.size()) signal.given.pop_front();
  if (signal.waiters.empty()) signals.erase(found);
}

}  // namespace epik::replay
