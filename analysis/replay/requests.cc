// SPDX-License-Identifier: BSD-3-Clause
// Requests: operations that are started in one call and completed in another one.
#include <utility>

#include "analysis/replay/engine.h"

namespace epik::replay {

// Returns null when the request was not started, as far as the trace goes.
RequestState* Engine::RequestOf(uint32_t location, uint64_t number) {
  const uint32_t found = StateAt(location).requests.Find(number);
  return found == FlatMap<uint64_t>::kMissing ? nullptr : &requests_[found];
}

// A request that sends and receives exists already when its second record comes.
RequestState* Engine::NewRequest(uint32_t location, uint64_t number) {
  RequestState* known = RequestOf(location, number);
  if (known != nullptr) return known;
  const uint32_t made = requests_.Take();
  requests_[made] = RequestState();
  StateAt(location).requests.FindOrAdd(number, made);
  return &requests_[made];
}

// Forgets the request when nothing of it is left to be completed.
void Engine::SettleRequest(uint32_t location, uint64_t number) {
  RequestState* request = RequestOf(location, number);
  if (request == nullptr || request->receives || request->message != kNone || request->begun != 0) return;
  if (request->parts != nullptr) return;
  FlatMap<uint64_t>& requests = StateAt(location).requests;
  requests_.Give(requests.Find(number));
  requests.Erase(number);
}

void Engine::Posted(uint32_t location, LocationState* state, int64_t ns, uint64_t number) {
  RequestState* request = NewRequest(location, number);
  request->receives = true;
  MessageEnd receive;
  receive.begun = BeginOf(location, *state, ns);
  NoteAbsence(location, &receive);
  request->posted = receive.begun;
  request->away = receive.away;
  request->probed = receive.probed;
  if (state->event.kind == event::RecordKind::kReceivePosted) Post(location, state, request);
}

// Fills in where the receive was posted that is complete now.
void Engine::TakePosted(uint32_t location, uint64_t number, MessageEnd* end) {
  RequestState* request = RequestOf(location, number);
  if (request == nullptr || !request->receives) {
    end->knows_begin = false;
    return unmatched.Add(Kind::kRequest, Reason::kNoBegin);
  }
  end->begun = request->posted;
  end->knows_begin = true;
  end->away = request->away;
  end->probed = request->probed;
  request->receives = false;
  request->place = 0;
  SettleRequest(location, number);
}

void Engine::ForgetReceive(uint32_t location, uint64_t number) {
  RequestState* request = RequestOf(location, number);
  if (request == nullptr) return;
  request->receives = false;
  EndPosted(world_.locations[location].process, std::exchange(request->place, 0));
  SettleRequest(location, number);
}

void Engine::Cancelled(uint32_t location, LocationState* state) {
  const uint64_t number = state->event.field[0];
  RequestState* request = RequestOf(location, number);
  if (request == nullptr) return;
  request->receives = false;
  request->parts.reset();
  EndPosted(world_.locations[location].process, std::exchange(request->place, 0));
  if (request->message != kNone) {
    messages_[request->message].cancelled = true;  // its channel leaves it out
    Release(request->message);
    request->message = kNone;
  }
  ProcessState& process = StateAt(location);
  Begun* begun = BegunAt(&process, request->begun);
  request->begun = 0;
  if (begun != nullptr) {
    begun->phase = Begun::Phase::kGone;
    Number(world_.locations[location].process);
  }
  SettleRequest(location, number);
}

// Nothing of the request is completed any more. A send is received nevertheless. A receive gets a message: if it
// accepts messages of several channels, a later record tells which one, and until then the receive stays open.
void Engine::FreeRequest(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t number = state->event.field[0];
  RequestState* request = RequestOf(location, number);
  if (request == nullptr) return;
  EndParts(location, state, ns, request);
  if (request->message != kNone) Release(std::exchange(request->message, kNone));
  if (request->receives) {
    const PostedReceive posted = PostedOf(location, *request);
    const bool takes_several = posted.communicator != kNone && (posted.from < 0 || posted.tag < 0);
    if (!takes_several) return TakeFreed(location, number, ns, posted, kByOrder);
  }
  SettleRequest(location, number);
}

// If it has no place in the list, nothing is known of the receive.
PostedReceive Engine::PostedOf(uint32_t location, const RequestState& request) const {
  const ProcessState& process = processes_[world_.locations[location].process];
  const bool is_listed =
      request.place >= process.posted_first && request.place - process.posted_first < process.posted.size();
  return is_listed ? process.posted[request.place - process.posted_first] : PostedReceive();
}

void Engine::ReceiveFreed(uint32_t location, LocationState* state, int64_t ns) {
  const uint64_t number = state->event.field[3];
  const RequestState* request = RequestOf(location, number);
  if (request == nullptr || !request->receives) return;
  PostedReceive posted = PostedOf(location, *request);
  posted.from = static_cast<int32_t>(state->event.field[0]);
  posted.tag = static_cast<int32_t>(state->event.field[1]);
  TakeFreed(location, number, ns, posted, state->turn);
}

// A freed receive gets the message whose turn it is, so that later receives get theirs.
void Engine::TakeFreed(uint32_t location, uint64_t number, int64_t ns, const PostedReceive& posted, uint64_t turn) {
  RequestState* request = RequestOf(location, number);
  ProcessState& process = StateAt(location);
  const uint64_t place = request->place;
  const uint32_t sender = world_.ProcessOf(posted.from), receiver = world_.locations[location].process;
  const bool is_unknown = posted.communicator == kNone || posted.tag < 0 || sender == kNone;
  if (is_unknown) return ForgetReceive(location, number);
  const ChannelKey key = {posted.communicator, sender, receiver, posted.tag};
  turn = TurnOfReceive(turn, channels_[ChannelOf(key)], location);
  // In a trace that lacks messages, the records of the others tell their turns.
  if (IsPartial(sender, receiver) && turn == kByOrder) return ForgetReceive(location, number);
  const uint32_t made = NewMessage();
  MessageState& state = messages_[made];
  state.freed = true;
  state.turn = turn;
  state.sender = sender;
  state.receiver = receiver;
  state.message.communicator = posted.communicator;
  state.message.tag = posted.tag;
  MessageEnd& receive = state.message.receive;
  receive.location = location;
  receive.at = ns;
  receive.begun = request->posted;
  receive.knows_begin = true;
  request->receives = false;
  request->place = 0;
  if (MustHold(process, place, posted.communicator, posted.from, posted.tag)) {
    Hold(receiver, place, made);
  } else {
    TakeFor(made);
    EndPosted(receiver, place);
  }
  Release(made);
  SettleRequest(location, number);
}

}  // namespace epik::replay
