// SPDX-License-Identifier: BSD-3-Clause
// Threads of libc: which thread created them, when they end, and which threads wait for that. Also has the functions
// that all waits in libc share.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

using event::RecordKind;
using What = ThreadWait::What;

// The call around the current record waits from its enter on. Returns false when the trace does not have the call.
bool Engine::BeginWait(uint32_t location, LocationState* state, int64_t ns, ThreadWait::Stretch first) {
  if (state->waiting.now) EndWait(location, state, ns);
  Waiting& waiting = state->waiting;
  waiting.wait.call = Describe(location, *state, ns);
  if (!waiting.wait.call.logged) {
    unmatched.Add(Kind::kLock, Reason::kCallNotLogged);
    return false;
  }
  waiting.now = true;
  waiting.object = state->event.field[0];
  waiting.depth = state->frames.size();
  first.from = first.to = waiting.wait.call.enter;
  waiting.wait.stretches.assign(1, first);
  return true;
}

void Engine::EndWait(uint32_t location, LocationState* state, int64_t ns) {
  ThreadWait& wait = state->waiting.wait;
  wait.stretches.back().to = std::max(wait.stretches.back().from, ns);
  wait.call.leave = wait.stretches.back().to;
  state->waiting.now = false;
  if (state->waiting.IsForSignal()) LeaveSignal(location);
  if (state->waiting.what() != What::kEnd) std::erase(StateAt(location).lock_waiters, location);
  for (Observer* observer : teams_) observer->Waited(wait);
}

// The call gave up, or was cut short: it has waited nevertheless.
void Engine::CutWait(uint32_t location, LocationState* state, int64_t ns, bool cut) {
  if (cut && state->waiting.what() == What::kEnd) {
    const auto& threads = StateAt(location).threads;
    const auto found = threads.find(state->waiting.object);
    if (found != threads.end() && found->second.location != location) {
      state->waiting.wait.stretches.back().whom = found->second.location;
    }
  }
  EndWait(location, state, ns);
}

// If the trace has records and no calls, observers cannot be told of calls below which threads begin.
void Engine::TakeBirth(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t thread = state->event.field[0];
  const bool tells = !state->frames.empty() && state->at_node == 0;
  auto& threads = StateAt(location).threads;
  if (state->event.kind == RecordKind::kThreadBegin) threads[thread].location = location;
  if (state->event.kind == RecordKind::kThreadEnd) threads[thread] = {location, ns};
  if (!tells) return;
  for (Observer* observer : threads_) {
    switch (state->event.kind) {
      case RecordKind::kThreadCreate: observer->Created(location, thread, ns); break;
      case RecordKind::kThreadBegin: observer->Born(location, thread, ns); break;
      default: observer->Released(location, ns);
    }
  }
}

void Engine::WantEnd(uint32_t location, LocationState* state, int64_t ns) {
  BeginWait(location, state, ns, {kNone, 0, 0, What::kEnd});
}

// Only now it is known which thread that was: it may not have begun before the other one waited for its end. The time
// of the call after that is no waiting.
void Engine::GetEnd(uint32_t location, LocationState* state, int64_t ns) {
  if (!state->waiting.now || state->waiting.what() != What::kEnd) return;
  for (Observer* observer : threads_) observer->Took(location, ns);
  auto& threads = StateAt(location).threads;
  const auto found = threads.find(state->event.field[0]);
  int64_t until = ns;
  if (found != threads.end() && found->second.ended <= ns) {
    until = found->second.ended;
    if (found->second.location != location) state->waiting.wait.stretches.back().whom = found->second.location;
    threads.erase(found);
  }
  EndWait(location, state, until);
}

}  // namespace epik::replay
