// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/messages.h"

namespace epik::archive {

using event::RecordKind;

std::optional<Message> MessageMatcher::Take(uint32_t stream, int64_t ns, const epilog::Event& event) {
  const uint32_t process = archive_->streams()[stream].process;
  if (event.kind == RecordKind::kRequestCancelled) {
    Cancel(process, event.field[0]);
    return {};
  }
  const bool is_send = event.kind == RecordKind::kSend || event.kind == RecordKind::kSendBegin;
  if (!is_send && event.kind != RecordKind::kReceive && event.kind != RecordKind::kReceiveEnd) return {};
  const auto peer = static_cast<int32_t>(event.field[0]);
  if (peer < 0) return {};
  const int32_t own = archive_->processes()[process]->map.rank;
  const uint32_t global = archive_->CommunicatorOf(process, event.field[2]);
  // Numbers of the process that stand for nothing known are kept apart.
  const uint64_t communicator = global != epitome::kNone ? global : event.field[2] | uint64_t{1} << 63;
  const Channel channel{communicator, static_cast<int64_t>(event.field[1]), is_send ? own : peer, is_send ? peer : own};
  return Meet(channel, is_send,
              {{stream, ns, event.field[3]}, event.kind == RecordKind::kSendBegin ? event.field[4] : 0});
}

std::optional<Message> MessageMatcher::Meet(const Channel& channel, bool is_send, const Waiting& end) {
  Queue& queue = queues_[channel];
  if (queue.lost) {
    ++lost_;
    return {};
  }
  // By corrected clocks a receive may come a little before its send: either waits for the other.
  if (queue.ends.empty() || queue.are_sends == is_send) {
    if (waiting_ >= kMostWaiting) {
      waiting_ -= queue.ends.size();
      lost_ += queue.ends.size() + 1;
      queue.ends = {};
      queue.lost = true;
      return {};
    }
    queue.are_sends = is_send;
    queue.ends.push_back(end);
    ++waiting_;
    return {};
  }
  const Message::End other = queue.ends.front().end;
  queue.ends.pop_front();
  --waiting_;
  Message message;
  message.send = is_send ? end.end : other;
  message.receive = is_send ? other : end.end;
  message.communicator = static_cast<uint32_t>(channel.communicator);
  message.tag = channel.tag;
  return message;
}

// A send that did not happen.
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
