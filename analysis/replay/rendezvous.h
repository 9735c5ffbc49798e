// SPDX-License-Identifier: BSD-3-Clause
// Decides which sends must wait for their receive. The mode of a send decides, or else its size: after a message of a
// thread to a process went without its receive, no later one that is not larger needs one either. But some MPIs move
// small messages only while both processes are in MPI. So if the receiver was in MPI after the send had begun, and
// before it posted the receive, nobody knows whether the message would have gone without that, and it tells nothing of
// later ones. The summary of a run decides by the same rules (runtime/monitor/rendezvous.h).
#ifndef EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
#define EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_

#include <cstdint>
#include <span>

#include "analysis/replay/facts.h"
#include "analysis/replay/largest.h"

namespace epik::replay {

class Rendezvous {
 public:
  // REQUIRES: the calls of a location come in their order.
  // Calls use(message) for each message that a call sent, or completed the sending of, and may have waited for, because
  // its receive was posted while the call went on. A call that only begins sends does not wait, even if some are
  // complete at its end.
  template <typename Use>
  void ForEachAwaited(const Call& call, std::span<const Message* const> messages, const Use& use) {
    for (const Message* message : messages) {
      if (!message->receive.knows_begin) continue;
      const int64_t posted = message->receive.begun.enter;
      if (posted >= call.leave) {
        if (!call.cut && !WasThere(*message)) Learn(call, *message);
        continue;
      }
      if (posted > call.enter && !call.operation.immediate && Waits(call, *message)) use(*message);
    }
  }

 private:
  // Notes that messages of that size go without their receive.
  void Learn(const Call& call, const Message& message) {
    if (DependsOnSize(message)) eager_.Add(TransferOf(call, message));
  }
  // Whether the receiver is known to have been in MPI after the send had begun and before it posted the receive.
  static bool WasThere(const Message& message) {
    return message.receive.away != INT64_MAX && message.receive.away > message.send.begun.enter;
  }
  bool Waits(const Call& call, const Message& message) const {
    return message.send_operation.mode == Mode::kSynchronous ||
           (DependsOnSize(message) && !eager_.Contains(TransferOf(call, message)));
  }
  // Buffered messages come with the call that takes the buffer back.
  static bool DependsOnSize(const Message& message) {
    const Mode mode = message.send_operation.mode;
    return mode == Mode::kStandard || mode == Mode::kBuffered;
  }
  static Transfer TransferOf(const Call& call, const Message& message) {
    Transfer transfer = replay::TransferOf(message);
    transfer.from = call.location;
    transfer.to = message.receiver;
    return transfer;
  }

  Largest eager_;  // messages that went without their receive
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
