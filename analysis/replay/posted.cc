// SPDX-License-Identifier: BSD-3-Clause
// MPI gives messages to receives in the order in which these were posted. Calls may complete them in another order. So
// a receive that ends is held while an earlier one is open that may have got a message of the same kind. Which message
// the later one got is known when the earlier one has ended.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

// If a program keeps more receives open, or never ends some, its receives are matched by the order of their ends.
constexpr size_t kMostLookedAt = 4096;
constexpr uint32_t kMostHeld = 1 << 16;

}  // namespace

void Engine::Post(uint32_t location, LocationState* state, RequestState* request) {
  const uint64_t* field = state->event.field;
  ProcessState& process = StateAt(location);
  PostedReceive posted;
  posted.from = static_cast<int32_t>(field[0]);
  posted.tag = static_cast<int32_t>(field[1]);
  posted.communicator = CommunicatorOf(location, field[2]);
  request->place = process.posted_first + process.posted.size();
  process.posted.push_back(posted);
  if (process.posted.size() <= kMostLookedAt) return;
  // The oldest receive is given up: receives that wait for it go on.
  process.posted.front().over = true;
  TakeHeld(world_.locations[location].process);
}

// `place` 0: a blocking receive, which comes after all that are in the list.
bool Engine::MustHold(const ProcessState& process, uint64_t place, uint32_t communicator, int32_t from,
                      int32_t tag) const {
  // If the trace may lack ends, an open receive holds up no other one.
  if (process.posted.empty() || process.partial || process.held >= kMostHeld) return false;
  if (place != 0 && place < process.posted_first) return false;
  const size_t most = place == 0 ? process.posted.size() : place - process.posted_first;
  const auto end = process.posted.begin() + static_cast<std::ptrdiff_t>(std::min(most, process.posted.size()));
  return std::any_of(process.posted.begin(), end,
                     [&](const PostedReceive& posted) { return posted.MayTake(communicator, from, tag); });
}

void Engine::Hold(uint32_t process, uint64_t place, uint32_t message) {
  ProcessState& state = processes_[process];
  if (place == 0) {
    place = state.posted_first + state.posted.size();
    state.posted.emplace_back();
  }
  PostedReceive& posted = state.posted[place - state.posted_first];
  const MessageState& its = messages_[message];
  posted.communicator = its.message.communicator;
  posted.from = world_.processes[its.sender].rank;
  posted.tag = its.message.tag;
  posted.held = message;
  ++messages_[message].users;
  ++state.held;
}

void Engine::EndPosted(uint32_t process, uint64_t place) {
  ProcessState& state = processes_[process];
  if (place < state.posted_first || place - state.posted_first >= state.posted.size()) return;
  state.posted[place - state.posted_first].over = true;
  TakeHeld(process);
}

// Takes the receives that no earlier one holds up any more.
void Engine::TakeHeld(uint32_t process) {
  ProcessState& state = processes_[process];
  for (size_t p = 0; state.held > 0 && p < state.posted.size(); ++p) {
    PostedReceive& posted = state.posted[p];
    if (posted.over || posted.held == kNone) continue;
    if (MustHold(state, state.posted_first + p, posted.communicator, posted.from, posted.tag)) continue;
    posted.over = true;
    --state.held;
    const uint32_t message = posted.held;
    TakeFor(message);
    Release(message);
  }
  while (!state.posted.empty() && state.posted.front().over) {
    state.posted.pop_front();
    ++state.posted_first;
  }
}

// The process has ended, so its open receives never end.
void Engine::TakeAllHeld(uint32_t process) {
  for (PostedReceive& posted : processes_[process].posted) posted.over |= posted.held == kNone;
  TakeHeld(process);
}

}  // namespace epik::replay
