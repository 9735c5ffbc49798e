// SPDX-License-Identifier: BSD-3-Clause
// Decides which sends must wait for their receive. The mode of a send decides, or else its size: after a message of a
// thread to a process went without its receive, no later one that is not larger needs one either. But some MPIs move
// small messages only while both processes are in MPI. So if the receiver was in MPI between the begin of the send and
// the call that posted the receive, later ones that are not larger may wait while it is outside of MPI. The summary of
// a run decides by the same rules (runtime/monitor/rendezvous.h).
#ifndef EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
#define EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "analysis/replay/facts.h"
#include "analysis/replay/largest.h"

namespace epik::replay {

class Rendezvous {
 public:
  // REQUIRES: the calls of a location come in their order.
  // Calls use(message, from) for each message that a call sent, or completed the sending of, and may have waited for,
  // because its receive was posted while the call went on; it waited from then on. A call that only begins sends does
  // not wait, even if some are complete at its end.
  template <typename Use>
  void ForEachAwaited(const Call& call, std::span<const Message* const> messages, const Use& use) {
    for (const Message* message : messages) {
      if (!message->receive.knows_begin) continue;
      const int64_t posted = message->receive.begun.enter;
      if (posted >= call.leave) {
        if (!call.cut) Learn(call, *message);
        continue;
      }
      if (posted <= call.enter || call.operation.immediate) continue;
      const int64_t from = WaitsFrom(call, *message);
      if (from < posted) use(*message, from);
    }
  }

 private:
  // Notes that messages of that size go without their receive, or without it while the receiver is in MPI.
  void Learn(const Call& call, const Message& message) {
    if (DependsOnSize(message)) (WasThere(message) ? present_ : alone_).Add(TransferOf(call, message));
  }
  static bool WasThere(const Message& message) {
    const MessageEnd& receive = message.receive;
    return receive.away != INT64_MAX && (receive.probed || receive.away > message.send.begun.enter);
  }
  // From when on the call waited for the receive; INT64_MAX: it did not.
  int64_t WaitsFrom(const Call& call, const Message& message) const {
    if (message.send_operation.mode == Mode::kSynchronous) return call.enter;
    if (!DependsOnSize(message)) return INT64_MAX;
    const Transfer transfer = TransferOf(call, message);
    if (alone_.Contains(transfer)) return INT64_MAX;
    return present_.Contains(transfer) ? std::max(call.enter, message.receive.away) : call.enter;
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

  Largest alone_;    // messages that went without their receive
  Largest present_;  // messages that did so while the receiver was in MPI, or may have been
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
