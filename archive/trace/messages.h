// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives. MPI promises that messages from one process to another with the same communicator and
// tag do not overtake each other, so each channel is a queue.
#ifndef EPIK_ARCHIVE_TRACE_MESSAGES_H_
#define EPIK_ARCHIVE_TRACE_MESSAGES_H_

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "archive/trace/trace_archive.h"

namespace epik::archive {

struct Message {
  struct End {
    uint32_t stream = 0;
    int64_t ns = 0;
    uint64_t bytes = 0;
  } send, receive;
  uint32_t communicator = 0;  // as MessageMatcher numbers them
  int64_t tag = 0;
};

class MessageMatcher {
 public:
  explicit MessageMatcher(const TraceArchive* archive) : archive_(archive) {}

  // Takes a record of any kind and returns the message that it completes, if any.
  std::optional<Message> Take(uint32_t stream, int64_t ns, const epilog::Event& event);

  // Sends without a receive and receives without a send, so far.
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
    uint64_t request;  // 0: none
  };
  struct Queue {
    std::deque<Waiting> ends;
    bool are_sends = false;
    bool lost = false;  // too many ends waited: they were dropped, and nothing on this channel can be matched any more
  };

  std::optional<Message> Meet(const Channel& channel, bool is_send, const Waiting& end);
  void Cancel(uint32_t process, uint64_t request);

  const TraceArchive* archive_;
  std::map<Channel, Queue> queues_;
  uint64_t waiting_ = 0, lost_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_MESSAGES_H_
