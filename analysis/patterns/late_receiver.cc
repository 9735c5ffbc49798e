// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/patterns/pattern.h"
#include "analysis/replay/rendezvous.h"

namespace epik::patterns {

const PatternInfo kLateReceiverInfo = {
    "mpi_latereceiver",
    "mpi_point2point",
    "Late Receiver",
    "A call that completes a send (MPI_Send, or the MPI_Wait of MPI_Isend) waits from its enter until the call "
    "that posts the receive is entered, if it is still going on then. Time in which it waits for messages that it "
    "receives itself is taken off. Sends that must wait for their receive count (MPI_Ssend, MPI_Issend), and so do "
    "others whose messages are larger than any that the thread had sent to the same process before without "
    "waiting. Some MPIs move small messages only while both are in MPI. If the receiver was in a call that "
    "communicates, after the send had begun and before it posted the receive, later messages that are not larger "
    "may wait, and then only the time counts since the receiver left its last such call. Buffered and ready sends "
    "do not count, but MPI_Buffer_detach waits for buffered messages in the same way.",
    "A process cannot get rid of a message, because the other one has not asked for it.",
    "Let the receiver post its receive earlier (MPI_Irecv before its computation), or send without waiting "
    "(MPI_Isend)."};

namespace {

class LateReceiver : public Pattern {
 public:
  unsigned wants() const override { return kSent; }
  using Pattern::Pattern;
  void Sent(const replay::Call& call, std::span<const replay::Message* const> messages) override {
    int64_t first = INT64_MAX, last = INT64_MIN;
    rendezvous_.ForEachAwaited(call, messages, [&](const replay::Message& message, int64_t from) {
      const int64_t posted = message.receive.begun.enter;
      first = std::min(first, from);
      last = std::max(last, posted);
      if (posted <= std::max(from, call.ready)) return;
      AddCount(message.bytes == 0 ? Count::kLateReceiverEmpty : Count::kLateReceiver, call.location, call.path);
    });
    if (last > call.enter) AddWait(call.location, call.path, call.enter, std::max(first, call.ready), last);
  }

 private:
  replay::Rendezvous rendezvous_;
};

}  // namespace

std::unique_ptr<Pattern> MakeLateReceiver(uint32_t number, Severities* severities) {
  return std::make_unique<LateReceiver>(kLateReceiverInfo, number, severities);
}

}  // namespace epik::patterns
