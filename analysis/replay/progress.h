// SPDX-License-Identifier: BSD-3-Clause
// Finds sends that waited until their receiver came back to MPI. The receive was posted before, but most MPIs move a
// large message only while both processes are in a call. Not all messages are like that: once a call ended while the
// receiver was outside of MPI, no message between the two that is not larger needs it there.
#ifndef EPIK_ANALYSIS_REPLAY_PROGRESS_H_
#define EPIK_ANALYSIS_REPLAY_PROGRESS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/facts.h"
#include "analysis/replay/largest.h"

namespace epik::replay {

class Progress {
 public:
  // Calls use(message, from, to) for each stretch in which a call that completes sends waited in that way, in the order
  // of time. Waits for messages that it receives itself, and for receives that were not posted yet, come before.
  template <typename Use>
  void ForEachStretch(const Call& call, std::span<const Message* const> messages, const Use& use) {
    int64_t from = std::max(call.enter, call.ready);
    sorted_.clear();
    for (const Message* message : messages) {
      if (!message->receive.knows_begin || message->send_operation.mode == Mode::kBuffered) continue;
      const int64_t posted = message->receive.begun.enter, back = message->received_by.enter;
      if (posted < call.leave) from = std::max(from, posted);
      if (posted < call.leave && back < call.leave) sorted_.push_back(message);
      if (back >= call.leave && message->received_by.away < call.leave && !call.cut) alone_.Add(*message);
    }
    std::sort(sorted_.begin(), sorted_.end(), [](const Message* one, const Message* other) {
      return one->received_by.enter < other->received_by.enter;
    });
    for (const Message* message : sorted_) {
      const Completion& completion = message->received_by;
      if (completion.away >= completion.enter || completion.enter <= from || alone_.Contains(*message)) continue;
      use(*message, std::max(from, completion.away), completion.enter);
      from = completion.enter;
    }
  }

 private:
  Largest alone_;  // they went while the receiver was outside
  std::vector<const Message*> sorted_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_PROGRESS_H_
