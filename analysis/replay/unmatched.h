// SPDX-License-Identifier: BSD-3-Clause
// Counts what replay could not put together, by kind and reason. None of it takes part in an analysis.
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
  kUnknownPeer,     // a process of another job, or none that is known
  kNoPartner,       // the other side is not in the trace, though its rank is
  kOutOfStep,       // the trace lacks calls: what came there belongs to another one
  kNoBegin,         // it was begun where the trace has a gap, or before it began
  kNoEnd,           // never completed, as far as the trace goes
  kCallNotLogged,   // matched, but the trace has no calls around it (msgs): how long it waited is not known
  kUnknownMembers,  // the trace does not say who belongs to the communicator
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
