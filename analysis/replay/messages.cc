// SPDX-License-Identifier: BSD-3-Clause
// Finds the send of each receive: messages from one process to another with the same communicator and tag do not
// overtake each other, and go to the receives in the order in which these were posted (posted.cc).
#include <algorithm>
#include <utility>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

// Receives may end in another order than that of their messages, but only within this distance.
constexpr uint64_t kMostTurnsBack = 4096;

}  // namespace

bool Engine::IsPartial(uint32_t sender, uint32_t receiver) const {
  return processes_[sender].partial || processes_[receiver].partial;
}

Whole Engine::WholeOf(uint32_t location) const {
  if (world_.processes[world_.locations[location].process].partial) return Whole::kNever;
  return locations_[location].has_gap ? Whole::kUntilGap : Whole::kSoFar;
}

// The trace of the sender lacks messages and does not tell which these are.
bool Engine::SendsAreByOrder(const Channel& channel) const {
  return channel.first_send != kNone && messages_[channel.first_send].turn == kByOrder;
}

// If the other end tells turns, a record of this end that neither tells nor implies one has lost it.
uint64_t Engine::TurnOfReceive(uint64_t told, const Channel& channel, uint32_t location) const {
  const uint64_t turn = channel.receives.TurnOf(told, WholeOf(location));
  return turn == kByOrder && channel.sends.tells ? kUnknownTurn : turn;
}

uint32_t Engine::NewMessage() {
  const uint32_t number = messages_.Take();
  static const MessageState kNew;
  messages_[number] = kNew;
  messages_[number].users = 1;  // its creator
  totals.most_messages = std::max(totals.most_messages, messages_.in_use());
  return number;
}

void Engine::Release(uint32_t message) {
  if (--messages_[message].users == 0) messages_.Give(message);
}

// Numbers of a process that have no definition are kept apart from all known ones.
uint32_t Engine::CommunicatorOf(uint32_t location, uint64_t number) const {
  const uint32_t known = ProcessAt(location).communicators.At(number).number;
  return known != kNone ? known : static_cast<uint32_t>(number) | 0x80000000u;
}

uint32_t Engine::ChannelOf(const ChannelKey& key) {
  const uint32_t found = channel_of_.Find(key);
  if (found != channel_of_.kMissing) return found;
  if (channel_of_.size() >= sweep_channels_at_) SweepChannels();
  const uint32_t made = channels_.Take();
  channels_[made] = Channel();
  channel_of_.FindOrAdd(key, made);
  return made;
}

// Programs that use a new tag for each message leave an unused channel behind each time.
void Engine::SweepChannels() {
  std::vector<ChannelKey> empty;
  channel_of_.ForEach([&](const ChannelKey& key, uint32_t number) {
    const Channel& channel = channels_[number];
    if (!channel.IsUnused()) return;
    empty.push_back(key);
    channels_.Give(number);
  });
  for (const ChannelKey& key : empty) channel_of_.Erase(key);
  sweep_channels_at_ = std::max<size_t>(1 << 16, 2 * channel_of_.size());
}

void Engine::Append(uint32_t* first, uint32_t* last, uint32_t message) {
  messages_[message].next = kNone;
  if (*first == kNone) {
    *first = message;
  } else {
    messages_[*last].next = message;
  }
  *last = message;
}

void Engine::TakeOut(Channel* channel, uint32_t message) {
  uint32_t before = kNone;
  for (uint32_t number = channel->first_send; number != message; number = messages_[number].next) before = number;
  (before == kNone ? channel->first_send : messages_[before].next) = messages_[message].next;
  if (channel->last_send == message) channel->last_send = before;
}

Reason Engine::WhyUnmatched(uint32_t other_process) const {
  return processes_[other_process].partial ? Reason::kOutOfStep : Reason::kNoPartner;
}

void Engine::LoseSend(uint32_t message, Reason reason) {
  MessageState& state = messages_[message];
  state.lost = true;
  unmatched.Add(Kind::kSend, reason);
  if (state.send_call != kNone) {
    --calls_[state.send_call].unknown_sends;
    Settle(state.send_call);
  }
}

void Engine::LoseReceive(uint32_t message, Reason reason) {
  MessageState& state = messages_[message];
  state.lost = true;
  if (!state.freed) unmatched.Add(Kind::kReceive, reason);
  if (state.receive_call != kNone) {
    --calls_[state.receive_call].unknown_arrivals;
    Settle(state.receive_call);
  }
}

// Returns the send of that turn, or kNone. Older sends without a receive are lost: receives may end in another order,
// but only within a limited distance.
uint32_t Engine::TakeSendOf(Channel* channel, uint64_t turn) {
  uint32_t before = kNone;
  for (uint32_t number = channel->first_send; number != kNone;) {
    MessageState& state = messages_[number];
    const uint32_t next = state.next;
    const bool is_it = state.turn == turn && !state.cancelled;
    const bool is_over = state.cancelled || state.turn == kUnknownTurn || state.turn + kMostTurnsBack < turn;
    if (is_it || is_over) {
      (before == kNone ? channel->first_send : messages_[before].next) = next;
      if (channel->last_send == number) channel->last_send = before;
      if (processes_[state.sender].unmatched_sends > 0) --processes_[state.sender].unmatched_sends;
      if (is_it) return number;
      if (!state.cancelled) LoseSend(number, Reason::kOutOfStep);
      Release(number);
    } else {
      before = number;
    }
    number = next;
  }
  return kNone;
}

// The same for the receive of a send that is read now. Receives before it wait for sends that are not in the trace.
uint32_t Engine::TakeReceiveOf(Channel* channel, uint64_t turn) {
  uint32_t before = kNone;
  for (uint32_t number = channel->first_receive; number != kNone;) {
    MessageState& state = messages_[number];
    const uint32_t next = state.next;
    if (state.turn <= turn) {
      (before == kNone ? channel->first_receive : messages_[before].next) = next;
      if (channel->last_receive == number) channel->last_receive = before;
      if (state.turn == turn) return number;
      LoseReceive(number, Reason::kOutOfStep);
      Release(number);
    } else {
      before = number;
    }
    number = next;
  }
  return kNone;
}

// Returns the send of a receive that is read now, or kNone. `checks`: the trace of one process lacks some records, so a
// send and a receive that do not fit are no pair. `later`: there is a send, but it began when the receive was over.
uint32_t Engine::TakeSend(Channel* channel, int64_t received, uint64_t bytes, bool checks, bool* later) {
  while (channel->first_send != kNone) {
    const uint32_t number = channel->first_send;
    MessageState& state = messages_[number];
    if (checks && !state.cancelled && state.message.send.at > received + world_.clock_error_ns) {
      *later = true;
      return kNone;
    }
    channel->first_send = state.next;
    if (processes_[state.sender].unmatched_sends > 0) --processes_[state.sender].unmatched_sends;
    const bool wrong = checks && state.message.bytes != bytes;
    if (!wrong && !state.cancelled) return number;
    if (!state.cancelled) LoseSend(number, Reason::kOutOfStep);
    Release(number);
  }
  return kNone;
}

// Returns the receive of a send that is read now, among the receives that went on without one; or kNone.
uint32_t Engine::TakeReceive(Channel* channel, int64_t sent, uint64_t bytes, bool checks) {
  while (channel->first_receive != kNone) {
    const uint32_t number = channel->first_receive;
    MessageState& state = messages_[number];
    channel->first_receive = state.next;
    const bool wrong =
        checks && (state.message.bytes != bytes || state.message.receive.at + world_.clock_error_ns < sent);
    if (!wrong) return number;
    LoseReceive(number, Reason::kOutOfStep);
    Release(number);
  }
  return kNone;
}

// Notes the call that completes the end of a message.
void Engine::Attach(uint32_t message, uint32_t call, bool receives) {
  MessageState& state = messages_[message];
  CallState& to = calls_[call];
  ++state.users;
  const bool is_known = state.matched || state.lost;
  if (receives) {
    state.receive_call = is_known ? kNone : call;
    to.receives.push_back(message);
    if (!is_known) ++to.unknown_arrivals;
  } else {
    state.send_call = is_known ? kNone : call;
    to.sends.push_back(message);
    if (!is_known) ++to.unknown_sends;
  }
}

// Both ends are there. A call that waits for the other end to be known is told now.
void Engine::Match(uint32_t number, bool tell_sender) {
  MessageState& state = messages_[number];
  ++totals.messages;
  if (state.turn == kByOrder && IsPartial(state.sender, state.receiver)) ++totals.by_order;
  Message& message = state.message;
  message.receiver = state.receiver;
  if (!state.freed) {
    if (message.receive.at < message.send.at) NoteViolation(message.send.at - message.receive.at);
    for (Observer* observer : matched_) observer->Matched(message);
  }
  const uint32_t call = tell_sender ? state.send_call : state.receive_call;
  if (call == kNone) return;
  --(tell_sender ? calls_[call].unknown_sends : calls_[call].unknown_arrivals);
  (tell_sender ? state.send_call : state.receive_call) = kNone;
  Settle(call);
}

// `field`: of kSend, or, if it has a request, of kSendBegin.
void Engine::Send(uint32_t location, LocationState* state, int64_t ns, const uint64_t* field, bool has_request) {
  RequestState* request = has_request ? NewRequest(location, field[4]) : nullptr;
  const auto peer = static_cast<int32_t>(field[0]);
  const uint32_t receiver = world_.ProcessOf(peer);
  if (receiver == kNone) {
    return unmatched.Add(Kind::kSend, peer < 0 || peer >= world_.ranks ? Reason::kUnknownPeer : Reason::kNotTraced);
  }
  const uint32_t sender = world_.locations[location].process;
  const uint32_t communicator = CommunicatorOf(location, field[2]);
  const ChannelKey key = {communicator, sender, receiver, static_cast<int32_t>(field[1])};
  Channel& channel = channels_[ChannelOf(key)];
  uint64_t turn = channel.sends.TurnOf(state->turn, WholeOf(location));
  if (turn == kNextTurn) turn = channel.sends.Next();
  if (turn == kByOrder && channel.receives.tells) turn = kUnknownTurn;
  channel.sends.tells |= HasTurn(state->turn);
  if (HasTurn(turn)) channel.last_turn = std::max(channel.last_turn, turn);
  const bool partial = IsPartial(sender, receiver);
  const bool by_order = channel.first_receive != kNone && messages_[channel.first_receive].turn == kByOrder;
  uint32_t number = partial && HasTurn(turn) && !by_order ? TakeReceiveOf(&channel, turn)
                                                          : TakeReceive(&channel, ns, field[3], partial);
  const bool matched = number != kNone;
  if (!matched) number = NewMessage();
  MessageState& made = messages_[number];
  if (!matched || !by_order) made.turn = turn;
  made.sender = sender;
  made.receiver = receiver;
  made.matched = matched;
  Message& message = made.message;
  message.communicator = communicator;
  message.tag = key.tag;
  message.bytes = field[3];
  message.send.location = location;
  message.send.begun = BeginOf(location, *state, ns);
  message.send.knows_begin = true;
  message.send.at = ns;
  message.send_operation = OperationOf(location, *state);
  if (state->send_mode != Mode::kStandard) message.send_operation.mode = state->send_mode;
  if (message.send_operation.mode == Mode::kBuffered) Buffer(sender, number, ns);
  if (request != nullptr) {
    request->message = number;
    ++made.users;
  } else {
    CompleteSend(location, state, number, ns);
  }
  if (matched) {
    Match(number, /*tell_sender=*/false);
  } else {
    Append(&channel.first_send, &channel.last_send, number);
    ++made.users;
    ++processes_[sender].unmatched_sends;
    state->sent = number;
    while (channel.waiters != kNone) {
      const uint32_t waiter = channel.waiters;
      channel.waiters = locations_[waiter].next_waiter;
      locations_[waiter].listed = false;
      if (locations_[waiter].stop == Stop::kMessage) Queue(waiter);
    }
  }
  Release(number);
}

// The current call has completed the send. A buffered message is complete for another call (buffered.cc).
void Engine::CompleteSend(uint32_t location, LocationState* state, uint32_t message, int64_t ns) {
  const uint32_t call = CallOfRecord(location, state, ns);
  const Message& its = messages_[message].message;
  if (its.send_operation.mode != Mode::kBuffered) {
    NoteSize(call, its.bytes);
    if (calls_[call].call.operation.role != Role::kTest) Attach(message, call, /*receives=*/false);
  }
  EndRecord(call);
}

void Engine::NoteSize(uint32_t call, uint64_t bytes) {
  uint64_t& most = calls_[call].call.most_sent;
  most = std::max(most, bytes);
}

// No other location has gone on since the send, so its channel still has the message.
void Engine::RefuseSend(uint32_t location, LocationState* state) {
  const uint32_t number = std::exchange(state->sent, kNone);
  if (number != kNone) {
    MessageState& message = messages_[number];
    message.cancelled = true;
    Channel& channel =
        channels_[ChannelOf({message.message.communicator, message.sender, message.receiver, message.message.tag})];
    TakeOut(&channel, number);
    if (HasTurn(message.turn) && channel.last_turn == message.turn) --channel.last_turn;
    if (!channel.sends.tells && channel.sends.by_order == message.turn) --channel.sends.by_order;
    --processes_[message.sender].unmatched_sends;
    const uint32_t call = std::exchange(message.send_call, kNone);
    if (call != kNone) {
      --calls_[call].unknown_sends;
      Settle(call);
    }
    Release(number);  // its channel held the message
  }
  if (state->event.field[0] != 0) Cancelled(location, state);
}

void Engine::SendEnd(uint32_t location, LocationState* state, int64_t ns) {
  RequestState* request = RequestOf(location, state->event.field[0]);
  if (request == nullptr) return unmatched.Add(Kind::kRequest, Reason::kNoBegin);
  EndParts(location, state, ns, request);
  const uint32_t message = request->message;
  request->message = kNone;
  if (message != kNone) {
    CompleteSend(location, state, message, ns);
    Release(message);
  }
  SettleRequest(location, state->event.field[0]);
}

// The location went on without a send.
void Engine::Unlist(uint32_t location, Channel* channel) {
  locations_[location].listed = false;
  uint32_t* at = &channel->waiters;
  while (*at != location) at = &locations_[*at].next_waiter;
  *at = locations_[location].next_waiter;
}

// Returns true when the message has not been sent yet, but may be.
bool Engine::StopForSend(uint32_t location, LocationState* state, Channel* channel, uint32_t sender, uint64_t turn) {
  const bool has_come =
      turn == kByOrder ? channel->first_send != kNone : channel->last_turn >= turn || SendsAreByOrder(*channel);
  if (has_come || state->forced || processes_[sender].open_locations == 0) return false;
  if (sender == world_.locations[location].process && ProcessAt(location).locations.size() == 1) return false;
  if (!state->listed) {
    state->listed = true;
    state->next_waiter = channel->waiters;
    channel->waiters = location;
  }
  Halt(location, Stop::kMessage);
  return true;
}

// Takes the message of a receive, if it was sent, and gives the receive its turn. Returns false when the message has
// not been sent yet, but may be.
bool Engine::TakeSent(uint32_t location, LocationState* state, int64_t ns, const ChannelKey& key, Channel* channel,
                      uint64_t* turn, uint32_t* number) {
  const bool partial = IsPartial(key.from, key.to);
  channel->receives.tells |= HasTurn(state->turn);
  const uint64_t next = *turn == kNextTurn ? channel->receives.by_order + 1 : *turn;
  const uint64_t awaited = partial ? next : kByOrder;
  if (StopForSend(location, state, channel, key.from, awaited)) return false;
  if (*turn == kNextTurn) *turn = channel->receives.Next();
  bool later = false;
  if (awaited == kByOrder || SendsAreByOrder(*channel)) {
    *number = TakeSend(channel, ns, state->event.field[3], partial, &later);
  } else if (HasTurn(awaited)) {
    *number = TakeSendOf(channel, awaited);
  }
  return true;
}

bool Engine::Receive(uint32_t location, LocationState* state, int64_t ns, bool has_request) {
  const uint64_t* field = state->event.field;
  const auto peer = static_cast<int32_t>(field[0]);
  const uint32_t sender = world_.ProcessOf(peer);
  const uint32_t receiver = world_.locations[location].process;
  if (sender == kNone) {
    unmatched.Add(Kind::kReceive, peer < 0 || peer >= world_.ranks ? Reason::kUnknownPeer : Reason::kNotTraced);
    if (has_request) ForgetReceive(location, field[4]);
    return true;
  }
  const ChannelKey key = {CommunicatorOf(location, field[2]), sender, receiver, static_cast<int32_t>(field[1])};
  const RequestState* request = has_request ? RequestOf(location, field[4]) : nullptr;
  const uint64_t place = request != nullptr ? request->place : 0;
  // An earlier receive that may have got this message has not ended. The message is known when it has.
  const bool partial = IsPartial(sender, receiver);
  Channel& channel = channels_[ChannelOf(key)];
  uint64_t turn = TurnOfReceive(state->turn, channel, location);
  const bool in_order = !partial || turn == kByOrder || turn == kNextTurn;
  const bool holds = in_order && MustHold(StateAt(location), place, key.communicator, peer, key.tag);
  uint32_t number = kNone;  // the message that was sent
  if (!holds && !TakeSent(location, state, ns, key, &channel, &turn, &number)) return false;
  if (state->listed) Unlist(location, &channel);
  const bool matched = number != kNone;
  if (!matched) number = NewMessage();
  MessageState& made = messages_[number];
  made.sender = sender;
  made.receiver = receiver;
  made.matched = matched;
  made.turn = turn;
  Message& message = made.message;
  message.communicator = key.communicator;
  message.tag = key.tag;
  message.bytes = field[3];
  message.receive.location = location;
  message.receive.at = ns;
  message.receive.begun = BeginOf(location, *state, ns);
  message.receive.knows_begin = !has_request && message.receive.begun.logged;
  NoteAbsence(location, &message.receive);
  message.received_by = {message.receive.begun.path, message.receive.begun.enter};
  if (has_request) TakePosted(location, field[4], &message.receive);
  const uint32_t call = CallOfRecord(location, state, ns);
  Call& its_call = calls_[call].call;
  const Asks asks = its_call.operation.asks;
  if (its_call.operation.role != Role::kTest || asks != Asks::kNo) Attach(number, call, /*receives=*/true);
  if (asks != Asks::kNo) {
    // A program that tests its open requests in turn has tested each of them once in this many calls.
    const uint64_t open = asks == Asks::kSeveral ? 1 : StateAt(location).requests.size() + 1;
    its_call.in_vain = state->tests.Last(open);
  } else {
    message.received_by = CompletionBy(its_call);
  }
  if (holds) {
    Hold(receiver, place, number);
  } else if (matched) {
    if (!state->probes.empty()) TellProbe(state, message, /*matched=*/true);
    Match(number, /*tell_sender=*/true);
  } else {
    TakeFor(number);
  }
  if (!holds) EndPosted(receiver, place);
  EndRecord(call);
  Release(number);  // its channel holds the message, or nobody does yet
  return true;
}

// The trace does not tell when a process was outside of MPI if several of its threads call MPI, or if it lacks some
// calls.
bool Engine::KnowsAbsence(uint32_t location) const {
  const ProcessState& process = processes_[world_.locations[location].process];
  return !process.partial && process.mpi_thread == locations_[location].thread;
}

Completion Engine::CompletionBy(const Call& call) const {
  const bool waits = call.logged && call.operation.role != Role::kTest;
  const bool is_known = waits && KnowsAbsence(call.location);
  return {call.path, call.enter, is_known ? processes_[world_.locations[call.location].process].left_mpi : INT64_MAX};
}

// The same before the call that posts a receive. Calls that communicate are in each trace of communication. Calls that
// ask something of this process alone are not, and move no data.
void Engine::NoteAbsence(uint32_t location, MessageEnd* receive) const {
  const ProcessState& process = processes_[world_.locations[location].process];
  const bool is_known = receive->begun.logged && KnowsAbsence(location) && process.left_talk != INT64_MIN;
  receive->away = is_known ? process.left_talk : INT64_MAX;
  receive->probed = process.probed;
}

// Finds the send of a receive whose turn it is in its channel.
void Engine::TakeFor(uint32_t held) {
  MessageState& receive = messages_[held];
  const ChannelKey key = {receive.message.communicator, receive.sender, receive.receiver, receive.message.tag};
  Channel& channel = channels_[ChannelOf(key)];
  LocationState& state = locations_[receive.message.receive.location];
  const bool checks = IsPartial(key.from, key.to);
  if (receive.turn == kNextTurn) receive.turn = channel.receives.Next();
  if (receive.freed && checks && !HasTurn(receive.turn)) return LoseReceive(held, Reason::kOutOfStep);
  bool later = false;
  uint32_t number = kNone;
  if (!checks || receive.turn == kByOrder || SendsAreByOrder(channel)) {
    number = TakeSend(&channel, receive.message.receive.at, receive.message.bytes, checks, &later);
  } else {
    if (HasTurn(receive.turn)) number = TakeSendOf(&channel, receive.turn);
    later = number == kNone && channel.last_turn >= receive.turn;
  }
  if (number != kNone) return Unite(held, number);
  // The send will not come: its process has ended, it began after the receive had ended, or a later one has come.
  const bool lost = later || processes_[key.from].open_locations == 0;
  if (!state.probes.empty()) TellProbe(&state, receive.message, /*matched=*/false);
  if (lost) return LoseReceive(held, later ? Reason::kOutOfStep : WhyUnmatched(key.from));
  Append(&channel.first_receive, &channel.last_receive, held);
  ++receive.users;
}

// Moves the facts about a receive into the message that its send began.
void Engine::Unite(uint32_t held, uint32_t number) {
  MessageState& receive = messages_[held];
  MessageState& made = messages_[number];
  made.message.receive = receive.message.receive;
  made.message.received_by = receive.message.received_by;
  if (!receive.freed) made.message.bytes = receive.message.bytes;
  made.freed = receive.freed;
  if (receive.turn == kByOrder) made.turn = kByOrder;
  made.receiver = receive.receiver;
  made.matched = true;
  const uint32_t call = std::exchange(receive.receive_call, kNone);
  if (call != kNone) {
    std::vector<uint32_t>& receives = calls_[call].receives;
    *std::find(receives.rbegin(), receives.rend(), held) = number;
    --calls_[call].unknown_arrivals;
    ++made.users;
    Release(held);
  }
  LocationState& state = locations_[made.message.receive.location];
  if (!state.probes.empty()) TellProbe(&state, made.message, /*matched=*/true);
  Match(number, /*tell_sender=*/true);
  Release(number);  // its channel held the message
  if (call != kNone) Settle(call);
}

void Engine::EndMessages() {
  std::vector<uint32_t> left;
  channel_of_.ForEach([&](const ChannelKey&, uint32_t number) {
    for (uint32_t m = channels_[number].first_send; m != kNone; m = messages_[m].next) left.push_back(m);
    for (uint32_t m = channels_[number].first_receive; m != kNone; m = messages_[m].next) left.push_back(m);
  });
  for (const uint32_t m : left) {
    const bool is_send = messages_[m].message.send.location != kNone;
    if (is_send && !messages_[m].cancelled) LoseSend(m, WhyUnmatched(messages_[m].receiver));
    if (!is_send) LoseReceive(m, WhyUnmatched(messages_[m].sender));
    Release(m);
  }
}

}  // namespace epik::replay
