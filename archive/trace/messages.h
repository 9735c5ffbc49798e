// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives. MPI promises that messages from one process to another with the same communicator and
// tag do not overtake each other, and go to receives in the order of posting. So each has a turn in its channel
// (turns.h), the same at both ends.
#ifndef EPIK_ARCHIVE_TRACE_MESSAGES_H_
#define EPIK_ARCHIVE_TRACE_MESSAGES_H_

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "archive/trace/posted_receives.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace/turns.h"

namespace epik::archive {

struct Message {
  struct End {
    uint32_t stream = 0;
    int64_t ns = 0;
    uint64_t bytes = 0;
  } send, receive;
  uint32_t communicator = 0;  // the number that MessageMatcher gives it
  int64_t tag = 0;
};

class MessageMatcher {
 public:
  explicit MessageMatcher(const TraceArchive* archive) : archive_(archive) {}

  // Takes a record of any kind. The completed messages are valid until the next record.
  const std::vector<Message>& Take(uint32_t stream, int64_t ns, const Event& event);
  // Call it after the last record: returns the messages that were still held.
  const std::vector<Message>& End();

  // Sends without a receive, and receives without a send, at the end.
  uint64_t unmatched() const { return waiting_ + lost_; }

 private:
  static constexpr uint64_t kMostWaiting = 1 << 20;

  struct Channel {
    uint64_t communicator;
    int64_t tag;
    int32_t from, to;
    auto operator<=>(const Channel&) const = default;
  };
  struct Waiting {
    Message::End end;
    uint64_t request;    // 0: none
    bool freed = false;  // a receive with an unknown end
    uint64_t turn = kByOrder;
  };
  struct Received {
    Channel channel;
    Waiting end;
  };
  struct Queue {
    std::deque<Waiting> sends, receives;  // whose other end has not come
    ChannelEnd sent, received;
    bool lost = false;  // too many ends waited and were dropped, so this channel matches no more
  };

  uint64_t Communicator(uint32_t process, uint64_t number) const;
  void Meet(const Channel& channel, bool is_send, Waiting end);
  void Keep(Queue* queue, bool is_send, const Waiting& end);
  void Drop(std::deque<Waiting>* ends, uint64_t below);
  void TakeBack(Queue* queue, std::deque<Waiting>::iterator send);
  uint64_t TakeTold(uint32_t stream);
  void MeetReceived();
  void Cancel(uint32_t process, uint64_t request);
  void Refuse(uint32_t stream);
  void Free(uint32_t process, int32_t rank, uint64_t request);
  void Receive(uint32_t process, int32_t rank, const Event& event, uint64_t told);

  const TraceArchive* archive_;
  std::map<Channel, Queue> queues_;
  std::map<uint32_t, PostedReceives<Received>> posted_;  // by process
  std::vector<Received> received_;                       // scratch
  std::vector<Channel> sent_on_;                         // by stream: the channel of its latest send
  std::vector<uint64_t> told_;                           // by stream: the turn that the next record has
  std::vector<Message> done_;
  uint64_t waiting_ = 0, lost_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_MESSAGES_H_
