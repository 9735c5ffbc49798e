// SPDX-License-Identifier: BSD-3-Clause
// Finds the call that contains a record, and the operations that a call completed. Observers learn of a call when it
// has ended and all of this is known.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

// The begin of the call that contains the current record of the location.
CallBegin Engine::BeginOf(uint32_t location, const LocationState& state, int64_t ns) const {
  if (state.at_node != 0) return {location, ProcessAt(location).nodes.At(state.at_node).path, ns};
  if (state.frames.empty()) return {location, kNone, ns};
  const OpenFrame& open = state.frames.back();
  const bool logged = open.frame.operation.role != Role::kNone && !open.made_up;
  return {location, open.frame.path, logged ? open.frame.enter : ns, logged};
}

Operation Engine::OperationOf(uint32_t location, const LocationState& state) const {
  if (state.at_node != 0) return ProcessAt(location).nodes.At(state.at_node).operation;
  return state.frames.empty() ? Operation() : state.frames.back().frame.operation;
}

Call Engine::Describe(uint32_t location, const LocationState& state, int64_t ns) const {
  const CallBegin begin = BeginOf(location, state, ns);
  Call call;
  call.location = location;
  call.path = begin.path;
  call.operation = OperationOf(location, state);
  call.enter = begin.enter;
  call.leave = ns;
  call.logged = begin.logged;
  return call;
}

// Returns the call of calls_ that contains the record. A call without a frame is over with EndRecord.
uint32_t Engine::CallOfRecord(uint32_t location, LocationState* state, int64_t ns) {
  const bool has_frame =
      state->at_node == 0 && !state->frames.empty() && state->frames.back().frame.operation.role != Role::kNone;
  if (has_frame && state->frames.back().call != kNone) return state->frames.back().call;
  const uint32_t number = calls_.Take();
  CallState& made = calls_[number];
  made.call = Describe(location, *state, ns);
  made.receives.clear();
  made.sends.clear();
  made.parts.clear();
  made.unknown_arrivals = made.unknown_sends = 0;
  made.left = made.arrived = made.sent = made.in_turn = false;
  made.has_frame = has_frame;
  if (has_frame) state->frames.back().call = number;
  return number;
}

void Engine::EndRecord(uint32_t call) {
  if (!calls_[call].has_frame) LeaveCall(call, calls_[call].call.enter, false);
}

void Engine::LeaveCall(uint32_t call, int64_t leave, bool cut) {
  CallState& state = calls_[call];
  state.left = true;
  state.call.leave = leave;
  state.call.cut = cut;
  if (!state.sends.empty()) QueueSent(call);
  Settle(call);
}

// A call whose message nobody receives must not hold up all later ones.
void Engine::QueueSent(uint32_t call) {
  constexpr size_t kMostSending = 1024;
  std::deque<uint32_t>& sending = locations_[calls_[call].call.location].sending;
  if (sending.size() == kMostSending) {
    calls_[sending.front()].in_turn = false;
    sending.pop_front();
  }
  sending.push_back(call);
  calls_[call].in_turn = true;
}

// Tests that complete nothing leave no record.
void Engine::NoteTest(LocationState* state, const OpenFrame& open) {
  const Operation& operation = open.frame.operation;
  if (open.call == kNone) {
    if (operation.asks != Asks::kNo) state->tests.Add(open.frame.enter);
    return;
  }
  if (operation.role == Role::kTest || operation.role == Role::kComplete) state->tests.count = 0;
}

void Engine::Settle(uint32_t call) {
  CallState& state = calls_[call];
  if (!state.left) return;
  if (!state.arrived && state.unknown_arrivals == 0) {
    state.arrived = true;
    if (!state.receives.empty() || !state.parts.empty()) TellArrived(&state);
  }
  if (!state.arrived || state.unknown_sends != 0) return;
  state.sent = true;
  if (state.in_turn) return TellSentInTurn(&locations_[state.call.location]);
  if (!state.sends.empty()) TellSent(&state);
  calls_.Give(call);
}

void Engine::TellSentInTurn(LocationState* location) {
  std::deque<uint32_t>& sending = location->sending;
  while (!sending.empty() && calls_[sending.front()].sent) {
    TellSent(&calls_[sending.front()]);
    calls_.Give(sending.front());
    sending.pop_front();
  }
}

void Engine::NoteProbed(uint32_t location, LocationState* state) {
  const uint64_t* field = state->event.field;
  state->probe.is_known = true;
  state->probe.from = static_cast<int32_t>(field[0]);
  state->probe.tag = static_cast<int32_t>(field[1]);
  state->probe.communicator = CommunicatorOf(location, field[2]);
}

void Engine::NoteProbe(uint32_t location, LocationState* state, const OpenFrame& open, int64_t leave) {
  constexpr size_t kMostProbes = 64;
  Probed probe = state->probe;
  state->probe = Probed();
  if (open.made_up || state->probes.size() == kMostProbes) return;
  Call& call = probe.call;
  call.location = location;
  call.path = open.frame.path;
  call.operation = open.frame.operation;
  call.enter = open.frame.enter;
  call.leave = leave;
  call.logged = true;
  state->probes.push_back(probe);
}

// The message of a probe is the next one with the same properties that the location receives after the probe. If the
// trace does not tell what the probe saw, it is the next message.
void Engine::TellProbe(LocationState* state, const Message& message, bool matched) {
  if (!message.receive.knows_begin) return;
  const int32_t from = matched ? ProcessAt(message.send.location).rank : -1;
  const auto found = std::find_if(state->probes.begin(), state->probes.end(), [&](const Probed& probe) {
    if (message.receive.begun.enter < probe.call.leave) return false;
    return !probe.is_known ||
           (probe.from == from && probe.tag == message.tag && probe.communicator == message.communicator);
  });
  if (found == state->probes.end()) return;
  Call call = found->call;
  state->probes.erase(found);
  if (!matched) return;
  call.ready = message.send.begun.enter;
  const Arrival arrival{&message, nullptr, kNone, kNone, call.ready};
  TellArrived(call, {&arrival, 1});
}

Arrival Engine::ArrivalOf(const CallState::Part& part) {
  const CollectiveState& state = collectives_[part.collective];
  const Member& member = state.collective.members[part.member];
  return {nullptr, &state.collective, part.member, member.last, member.ready};
}

void Engine::TellArrived(const Call& call, std::span<const Arrival> arrivals) {
  // Messages are first in the list.
  const bool messages = arrivals.front().message != nullptr, parts = arrivals.back().collective != nullptr;
  if (messages) {
    for (Observer* observer : messages_wanted_) observer->Arrived(call, arrivals);
  }
  if (!parts) return;
  for (Observer* observer : parts_wanted_) {
    if (!messages || (observer->wants() & Observer::kMessages) == 0) observer->Arrived(call, arrivals);
  }
}

void Engine::TellArrived(CallState* state) {
  arrivals_.clear();
  state->call.sends = !state->sends.empty();
  for (const uint32_t m : state->receives) {
    if (messages_[m].lost) continue;
    const Message& message = messages_[m].message;
    arrivals_.push_back({&message, nullptr, kNone, kNone, message.send.begun.enter});
  }
  for (const CallState::Part& part : state->parts) {
    const Member& member = collectives_[part.collective].collective.members[part.member];
    if (member.needs && member.knows_ready) arrivals_.push_back(ArrivalOf(part));
  }
  for (const Arrival& arrival : arrivals_) state->call.ready = std::max(state->call.ready, arrival.ready);
  if (!arrivals_.empty()) {
    if (state->call.operation.asks != Asks::kNo) {
      for (Observer* observer : polled_) observer->Polled(state->call, arrivals_);
    } else if (state->call.logged) {
      TellArrived(state->call, arrivals_);
    } else {
      for (const Arrival& arrival : arrivals_) {
        unmatched.Add(arrival.message != nullptr ? Kind::kReceive : Kind::kCollective, Reason::kCallNotLogged);
      }
    }
  }
  for (const uint32_t m : state->receives) Release(m);
  for (const CallState::Part& part : state->parts) {
    if (--collectives_[part.collective].users == 0) collectives_.Give(part.collective);
  }
}

void Engine::TellSent(CallState* state) {
  sent_scratch_.clear();
  for (const uint32_t m : state->sends) {
    if (!messages_[m].lost && !messages_[m].cancelled) sent_scratch_.push_back(&messages_[m].message);
  }
  if (!sent_scratch_.empty() && state->call.logged) {
    for (Observer* observer : sent_) observer->Sent(state->call, sent_scratch_);
  }
  for (const uint32_t m : state->sends) Release(m);
}

}  // namespace epik::replay
