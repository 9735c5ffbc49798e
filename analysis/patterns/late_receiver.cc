// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "analysis/patterns/pattern.h"
#include "analysis/replay/flat_map.h"

namespace epik::patterns {

const PatternInfo kLateReceiverInfo = {
    "mpi_latereceiver",
    "mpi_point2point",
    "Late Receiver",
    "Of a call that completes a send (MPI_Send, or the MPI_Wait of MPI_Isend): from its enter until the enter of the "
    "call "
    "that posted the receive, if the call was still going on then; less what it waited for messages of its own. Sends "
    "that "
    "must wait for their receive are counted (MPI_Ssend, MPI_Issend), and others whose messages are larger than any "
    "that "
    "was sent between the two threads without waiting. Buffered and ready sends are not.",
    "A process cannot get rid of a message because the other one has not asked for it.",
    "Let the receiver post its receive earlier (MPI_Irecv before its computation), or send without waiting "
    "(MPI_Isend)."};

namespace {

using replay::Message;
using replay::Mode;

class LateReceiver : public Pattern {
 public:
  unsigned wants() const override { return kSent; }
  using Pattern::Pattern;
  void Sent(const replay::Call& call, std::span<const Message* const> messages) override {
    posts_.clear();
    for (const Message* message : messages) {
      if (!message->receive.knows_begin) continue;
      const int64_t posted = message->receive.begun.enter;
      if (posted >= call.leave) {
        if (!call.cut) Learn(*message);
        continue;
      }
      if (posted > call.enter && Waits(*message)) posts_.push_back(posted);
    }
    if (posts_.empty()) return;
    const int64_t last = *std::max_element(posts_.begin(), posts_.end());
    Add(call.location, call.path, last - std::max(call.enter, call.ready));
  }

 private:
  static uint64_t PairOf(const Message& message) {
    return uint64_t{message.send.location} << 32 | message.receive.location;
  }
  // Messages of that size go without their receive.
  void Learn(const Message& message) {
    if (message.send_operation.mode != Mode::kStandard) return;
    uint32_t* number = eager_of_.FindOrAdd(PairOf(message), static_cast<uint32_t>(eager_.size()));
    if (*number == eager_.size()) eager_.push_back(0);
    eager_[*number] = std::max(eager_[*number], message.bytes);
  }
  bool Waits(const Message& message) const {
    if (message.send_operation.mode != Mode::kStandard) return message.send_operation.mode == Mode::kSynchronous;
    const uint32_t number = eager_of_.Find(PairOf(message));
    return number == replay::FlatMap<uint64_t>::kMissing || message.bytes > eager_[number];
  }

  replay::FlatMap<uint64_t> eager_of_;
  std::vector<uint64_t> eager_;  // bytes
  std::vector<int64_t> posts_;   // scratch
};

}  // namespace

std::unique_ptr<Pattern> MakeLateReceiver(uint32_t number, Severities* severities) {
  return std::make_unique<LateReceiver>(kLateReceiverInfo, number, severities);
}

}  // namespace epik::patterns
