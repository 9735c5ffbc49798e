// SPDX-License-Identifier: BSD-3-Clause
// Counts records that replay could not put together, by kind and reason. They take no part in an analysis.
#ifndef EPIK_ANALYSIS_REPLAY_UNMATCHED_H_
#define EPIK_ANALYSIS_REPLAY_UNMATCHED_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace epik::replay {

enum class Kind : uint8_t { kSend, kReceive, kCollective, kRequest, kBarrier, kLock, kEpoch };
inline constexpr size_t kKindsOfUnmatched = 7;

enum class Reason : uint8_t {
  kNotTraced,       // the other rank is not in the trace
  kUnknownPeer,     // a process of another job, or an unknown one
  kNoPartner,       // the other side is not in the trace, though its rank is
  kOutOfStep,       // the trace lacks calls: the record belongs to another operation
  kNoBegin,         // it began in a gap of the trace, or before the trace
  kNoEnd,           // it was never completed, as far as the trace goes
  kCallNotLogged,   // it is matched, but the trace has no calls around it (msgs): its waiting time is not known
  kUnknownMembers,  // the trace does not have the members of the communicator
  kCancelled,
};
inline constexpr size_t kReasons = 9;

const char* NameOf(Kind kind);
const char* NameOf(Reason reason);
const char* Explain(Reason reason);  // half a sentence

class Unmatched {
 public:
  void Add(Kind kind, Reason reason, uint64_t count = 1) {
    counts_[static_cast<size_t>(kind)][static_cast<size_t>(reason)] += count;
  }
  uint64_t Of(Kind kind, Reason reason) const {
    return counts_[static_cast<size_t>(kind)][static_cast<size_t>(reason)];
  }
  uint64_t Total() const {
    uint64_t sum = 0;
    for (const auto& row : counts_) {
      for (const uint64_t count : row) sum += count;
    }
    return sum;
  }

 private:
  std::array<std::array<uint64_t, kReasons>, kKindsOfUnmatched> counts_{};
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_UNMATCHED_H_
