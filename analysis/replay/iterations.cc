// SPDX-License-Identifier: BSD-3-Clause
// Iterations of DOACROSS loops, by which threads of a team wait for each other. A team executes a loop of the program
// once at a time, as far as its threads wait for each other there. So the others waited for the last thread that
// finished an iteration.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

uint64_t KeyOf(const LocationState& state) {
  const uint64_t team = state.teams.empty() ? 0 : state.teams.back().team;
  return Mix(Mix(team ^ state.event.field[0] << 48) + state.event.field[1]);
}

}  // namespace

void Engine::FinishIteration(uint32_t location, LocationState* state, int64_t ns) {
  if (state->frames.empty() || state->at_node != 0) return;
  for (Observer* observer : threads_) observer->Freed(location, ns);
  const int64_t since = std::min(std::max(state->iterates_since, state->frames.back().frame.enter), ns);
  StateAt(location).iterations.Add(KeyOf(*state), {location, state->frames.back().frame.path, since, ns});
  state->iterates_since = ns;
}

// Nobody waits for an iteration outside of the loop. It has no partner, and the trace need not have one.
void Engine::NeedIteration(uint32_t location, LocationState* state, int64_t ns) {
  state->iterates_since = ns;
  Call call = Describe(location, *state, ns);
  if (!call.logged) return unmatched.Add(Kind::kLock, Reason::kCallNotLogged);
  for (Observer* observer : threads_) observer->Took(location, ns);
  const Iterations::Done* done = StateAt(location).iterations.Find(KeyOf(*state));
  if (done == nullptr || done->location == location) return;
  const Acquisition acquisition{call, done->location, done->path, done->since, done->ns};
  for (Observer* observer : teams_) observer->Acquired(acquisition);
}

}  // namespace epik::replay
