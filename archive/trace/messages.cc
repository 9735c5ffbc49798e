// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/messages.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace epik::archive {

using event::RecordKind;

namespace {

// Receives may end in another order than that of their messages, but only within this distance.
constexpr uint64_t kMostTurnsBack = 4096;

// Says more about the record that follows.
bool IsWordOfNext(RecordKind kind) {
  return kind == RecordKind::kAt || kind == RecordKind::kTurn || kind == RecordKind::kTurnSince ||
         kind == RecordKind::kSendMode || kind == RecordKind::kTruncated || kind == RecordKind::kCollectiveFailed;
}

}  // namespace

// Numbers of the process without a definition are kept apart.
uint64_t MessageMatcher::Communicator(uint32_t process, uint64_t number) const {
  const uint32_t global = archive_->CommunicatorOf(process, number);
  return global != kNone ? global : number | uint64_t{1} << 63;
}

const std::vector<Message>& MessageMatcher::Take(uint32_t stream, int64_t ns, const Event& event) {
  done_.clear();
  const uint32_t process = archive_->streams()[stream].process;
  const auto peer = static_cast<int32_t>(event.field[0]);
  const auto tag = static_cast<int64_t>(event.field[1]);
  const int32_t own = archive_->processes()[process]->map.rank;
  const uint64_t told = IsWordOfNext(event.kind) ? kByOrder : TakeTold(stream);
  switch (event.kind) {
    case RecordKind::kTurn:
    case RecordKind::kTurnSince:
      if (told_.size() <= stream) told_.resize(stream + 1, kByOrder);
      told_[stream] = ToldBy(event);
      break;
    case RecordKind::kSend:
    case RecordKind::kSendBegin:
      if (sent_on_.size() <= stream) sent_on_.resize(stream + 1);
      sent_on_[stream] = {Communicator(process, event.field[2]), tag, own, peer};
      if (peer < 0) break;
      Meet(sent_on_[stream], true,
           {{stream, ns, event.field[3]}, event.kind == RecordKind::kSendBegin ? event.field[4] : 0, false, told});
      break;
    case RecordKind::kSendRefused: Refuse(stream); break;
    case RecordKind::kReceivePosted:
      posted_[process].Post(event.field[3], {Communicator(process, event.field[2]), peer, tag}, &received_);
      break;
    case RecordKind::kReceive:
    case RecordKind::kReceiveEnd: {
      const uint64_t request = event.kind == RecordKind::kReceiveEnd ? event.field[4] : 0;
      if (peer < 0) {  // a process of another job
        posted_[process].Cancel(request, &received_);
        break;
      }
      const Channel channel{Communicator(process, event.field[2]), tag, peer, own};
      posted_[process].Complete(request, {channel.communicator, peer, tag},
                                {channel, {{stream, ns, event.field[3]}, 0, false, told}}, &received_);
      break;
    }
    case RecordKind::kRequestCancelled:
      Cancel(process, event.field[0]);
      posted_[process].Cancel(event.field[0], &received_);
      break;
    case RecordKind::kRequestFreed: Free(process, own, event.field[0]); break;
    case RecordKind::kFreedReceived: Receive(process, own, event, told); break;
    default: break;
  }
  MeetReceived();
  return done_;
}

const std::vector<Message>& MessageMatcher::End() {
  done_.clear();
  for (auto& [process, posted] : posted_) posted.Rest(&received_);
  MeetReceived();
  return done_;
}

void MessageMatcher::MeetReceived() {
  for (const Received& received : received_) Meet(received.channel, false, received.end);
  received_.clear();
}

uint64_t MessageMatcher::TakeTold(uint32_t stream) {
  return stream < told_.size() ? std::exchange(told_[stream], kByOrder) : kByOrder;
}

void MessageMatcher::Meet(const Channel& channel, bool is_send, Waiting end) {
  Queue& queue = queues_[channel];
  ChannelEnd& own = is_send ? queue.sent : queue.received;
  const uint64_t turn = own.TurnOf(end.turn, Whole::kSoFar);
  own.tells |= end.turn != kByOrder;
  end.turn = turn == kNextTurn ? own.Next() : turn;
  if (queue.lost || end.turn == kUnknownTurn) {
    ++lost_;
    return;
  }
  // By corrected clocks a receive may come a little before its send, so either waits for the other.
  std::deque<Waiting>& others = is_send ? queue.receives : queue.sends;
  Drop(&others, end.turn - std::min(end.turn, kMostTurnsBack));
  const auto at =
      std::find_if(others.begin(), others.end(), [&](const Waiting& other) { return other.turn == end.turn; });
  if (at == others.end()) return Keep(&queue, is_send, end);
  const Waiting other = *at;
  others.erase(at);
  --waiting_;
  if (end.freed || other.freed) return;
  Message message;
  message.send = is_send ? end.end : other.end;
  message.receive = is_send ? other.end : end.end;
  message.communicator = static_cast<uint32_t>(channel.communicator);
  message.tag = channel.tag;
  done_.push_back(message);
}

void MessageMatcher::Keep(Queue* queue, bool is_send, const Waiting& end) {
  if (waiting_ >= kMostWaiting) {
    const uint64_t dropped = queue->sends.size() + queue->receives.size();
    waiting_ -= dropped;
    lost_ += dropped + 1;
    queue->sends = queue->receives = {};
    queue->lost = true;
    return;
  }
  (is_send ? queue->sends : queue->receives).push_back(end);
  ++waiting_;
}

// The other ends of these are not in the trace.
void MessageMatcher::Drop(std::deque<Waiting>* ends, uint64_t below) {
  for (; !ends->empty() && ends->front().turn < below; ends->pop_front()) {
    --waiting_;
    ++lost_;
  }
}

// A receive whose request was freed gets the message whose turn it is. If it takes messages from any rank or with any
// tag, a later record tells which one.
void MessageMatcher::Free(uint32_t process, int32_t rank, uint64_t request) {
  const Accepts* accepts = posted_[process].AcceptsOf(request);
  if (accepts == nullptr || accepts->from < 0 || accepts->tag < 0) return;
  const Accepts message = *accepts;
  const Channel channel{message.communicator, message.tag, message.from, rank};
  posted_[process].Complete(request, message, {channel, {{}, 0, true}}, &received_);
}

void MessageMatcher::Receive(uint32_t process, int32_t rank, const Event& event, uint64_t told) {
  const auto from = static_cast<int32_t>(event.field[0]);
  const auto tag = static_cast<int64_t>(event.field[1]);
  const uint64_t request = event.field[3];
  if (from < 0) return posted_[process].Cancel(request, &received_);
  const Channel channel{Communicator(process, event.field[2]), tag, from, rank};
  posted_[process].Complete(request, {channel.communicator, from, tag}, {channel, {{}, 0, true, told}}, &received_);
}

// No message has the turn of that send: those that were sent after it come one earlier.
void MessageMatcher::TakeBack(Queue* queue, std::deque<Waiting>::iterator send) {
  const bool is_told = queue->sent.tells && send->turn > queue->sent.by_order;
  for (auto later = queue->sends.erase(send); !is_told && later != queue->sends.end(); ++later) --later->turn;
  if (!is_told) --queue->sent.by_order;
  --waiting_;
}

// Takes back the latest send of the stream.
void MessageMatcher::Refuse(uint32_t stream) {
  const auto found = sent_on_.size() <= stream ? queues_.end() : queues_.find(sent_on_[stream]);
  if (found == queues_.end()) return;
  std::deque<Waiting>& sends = found->second.sends;
  const auto at =
      std::find_if(sends.rbegin(), sends.rend(), [&](const Waiting& send) { return send.end.stream == stream; });
  if (at != sends.rend()) TakeBack(&found->second, std::next(at).base());
}

// Takes back a send that was cancelled.
void MessageMatcher::Cancel(uint32_t process, uint64_t request) {
  for (auto& [channel, queue] : queues_) {
    const auto at = std::find_if(queue.sends.rbegin(), queue.sends.rend(), [&](const Waiting& send) {
      return send.request == request && archive_->streams()[send.end.stream].process == process;
    });
    if (at != queue.sends.rend()) return TakeBack(&queue, std::next(at).base());
  }
}

}  // namespace epik::archive
