// SPDX-License-Identifier: BSD-3-Clause
// Decides which sends must wait for their receive. The mode of a send decides, or else its size: once a message between
// two threads went without its receive, no message that is not larger needs one either.
#ifndef EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
#define EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/facts.h"
#include "analysis/replay/flat_map.h"

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
    return number == FlatMap<uint64_t>::kMissing || message.bytes > eager_[number];
  }

  FlatMap<uint64_t> eager_of_;
  std::vector<uint64_t> eager_;  // bytes
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_RENDEZVOUS_H_
