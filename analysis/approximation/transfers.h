// SPDX-License-Identifier: BSD-3-Clause
// Times of messages that nobody waits for, learnt from the messages of the trace: the time to copy a message that is
// already there (the papers' C(s)·s), and the time to bring one that the receiver waits for. Kept for each power of two
// of the size.
#ifndef EPIK_ANALYSIS_APPROXIMATION_TRANSFERS_H_
#define EPIK_ANALYSIS_APPROXIMATION_TRANSFERS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/graph/graph.h"

namespace epik::approximation {

class Transfers {
 public:
  Transfers() = default;
  explicit Transfers(const graph::Graph& graph);

  // Nanoseconds.
  double LeastCopy(uint64_t bytes) const { return At(least_copy_, bytes, kCopyNsPerByte, 0); }
  double UsualCopy(uint64_t bytes) const { return At(usual_copy_, bytes, kCopyNsPerByte); }
  // Whether the trace has a message of about that size that was only copied.
  bool KnowsCopy(uint64_t bytes) const;
  double Usual(uint64_t bytes) const { return At(usual_, bytes, kMoveNsPerByte); }
  // The longest time for bringing a message of that size; infinite when nobody waited for any.
  double Most(uint64_t bytes) const;
  // Whether messages of that size that this location sends wait for their receiver.
  bool WaitsForReceiver(uint32_t location, uint64_t bytes) const {
    return location < waits_from_.size() && bytes >= waits_from_[location];
  }

 private:
  static constexpr size_t kClasses = 65;
  // If the trace has no message of any size: 10 GB/s to copy, half of that to bring.
  static constexpr double kCopyNsPerByte = 0.1, kMoveNsPerByte = 0.2;
  using BySize = std::array<double, kClasses>;  // < 0: the trace has no message of that size

  // `otherwise`: ns a byte, when no message of about that size is known; `more`: ns a byte beyond the next smaller size
  // that is known.
  static double At(const BySize& known, uint64_t bytes, double otherwise, double more);
  static double At(const BySize& known, uint64_t bytes, double otherwise) {
    return At(known, bytes, otherwise, otherwise);
  }
  static BySize None() {
    BySize none;
    none.fill(-1);
    return none;
  }
  BySize least_copy_ = None(), usual_copy_ = None(), usual_ = None(), most_ = None();
  std::vector<uint64_t> waits_from_;  // by location: bytes
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_TRANSFERS_H_
