// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/messages.h"

#include <algorithm>
#include <iterator>

namespace epik::archive {

using event::RecordKind;

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
  switch (event.kind) {
    case RecordKind::kSend:
    case RecordKind::kSendBegin:
      if (sent_on_.size() <= stream) sent_on_.resize(stream + 1);
      sent_on_[stream] = {Communicator(process, event.field[2]), tag, own, peer};
      if (peer < 0) break;
      Meet(sent_on_[stream], true,
           {{stream, ns, event.field[3]}, event.kind == RecordKind::kSendBegin ? event.field[4] : 0});
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
                                {channel, {{stream, ns, event.field[3]}, 0}}, &received_);
      break;
    }
    case RecordKind::kRequestCancelled:
      Cancel(process, event.field[0]);
      posted_[process].Cancel(event.field[0], &received_);
      break;
    case RecordKind::kRequestFreed: Free(process, own, event.field[0]); break;
    case RecordKind::kFreedReceived: Receive(process, own, event); break;
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

void MessageMatcher::Meet(const Channel& channel, bool is_send, const Waiting& end) {
  Queue& queue = queues_[channel];
  if (queue.lost) {
    ++lost_;
    return;
  }
  // By corrected clocks a receive may come a little before its send, so either waits for the other.
  if (queue.ends.empty() || queue.are_sends == is_send) {
    if (waiting_ >= kMostWaiting) {
      waiting_ -= queue.ends.size();
      lost_ += queue.ends.size() + 1;
      queue.ends = {};
      queue.lost = true;
      return;
    }
    queue.are_sends = is_send;
    queue.ends.push_back(end);
    ++waiting_;
    return;
  }
  const Message::End other = queue.ends.front().end;
  const bool is_known = !end.freed && !queue.ends.front().freed;
  queue.ends.pop_front();
  --waiting_;
  if (!is_known) return;
  Message message;
  message.send = is_send ? end.end : other;
  message.receive = is_send ? other : end.end;
  message.communicator = static_cast<uint32_t>(channel.communicator);
  message.tag = channel.tag;
  done_.push_back(message);
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

void MessageMatcher::Receive(uint32_t process, int32_t rank, const Event& event) {
  const auto from = static_cast<int32_t>(event.field[0]);
  const auto tag = static_cast<int64_t>(event.field[1]);
  const uint64_t request = event.field[3];
  if (from < 0) return posted_[process].Cancel(request, &received_);
  const Channel channel{Communicator(process, event.field[2]), tag, from, rank};
  posted_[process].Complete(request, {channel.communicator, from, tag}, {channel, {{}, 0, true}}, &received_);
}

// Takes back the latest send of the stream.
void MessageMatcher::Refuse(uint32_t stream) {
  if (sent_on_.size() <= stream) return;
  const auto found = queues_.find(sent_on_[stream]);
  if (found == queues_.end() || !found->second.are_sends) return;
  std::deque<Waiting>& ends = found->second.ends;
  const auto at =
      std::find_if(ends.rbegin(), ends.rend(), [&](const Waiting& send) { return send.end.stream == stream; });
  if (at == ends.rend()) return;
  ends.erase(std::next(at).base());
  --waiting_;
}

// Takes back a send that was cancelled.
void MessageMatcher::Cancel(uint32_t process, uint64_t request) {
  for (auto& [channel, queue] : queues_) {
    if (!queue.are_sends) continue;
    for (auto at = queue.ends.rbegin(); at != queue.ends.rend(); ++at) {
      if (at->request != request || archive_->streams()[at->end.stream].process != process) continue;
      queue.ends.erase(std::next(at).base());
      --waiting_;
      return;
    }
  }
}

}  // namespace epik::archive
