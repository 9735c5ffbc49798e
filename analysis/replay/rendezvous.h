// SPDX-License-Identifier: BSD-3-Clause
// Decides which sends must wait for their receive. The mode of a send decides, or else its size: after a message
// between two threads went without its receive, no message that is not larger needs one either.
#ifndef EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
#define EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_

#include <cstdint>
#include <span>

#include "analysis/replay/facts.h"
#include "analysis/replay/largest.h"

namespace epik::replay {

class Rendezvous {
 public:
  // Calls use(message) for each message that a call sent, or completed the sending of, and may have waited for, because
  // its receive was posted while the call went on.
  template <typename Use>
  void ForEachAwaited(const Call& call, std::span<const Message* const> messages, const Use& use) {
    for (const Message* message : messages) {
      if (!message->receive.knows_begin) continue;
      const int64_t posted = message->receive.begun.enter;
      if (posted >= call.leave) {
        if (!call.cut) Learn(*message);
        continue;
      }
      if (posted > call.enter && Waits(*message)) use(*message);
    }
  }

 private:
  // Notes that messages of that size go without their receive.
  void Learn(const Message& message) {
    if (message.send_operation.mode == Mode::kStandard) eager_.Add(TransferOf(message));
  }
  bool Waits(const Message& message) const {
    const Mode mode = message.send_operation.mode;
    return mode == Mode::kSynchronous || (mode == Mode::kStandard && !eager_.Contains(TransferOf(message)));
  }

  Largest eager_;  // messages that went without their receive
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
