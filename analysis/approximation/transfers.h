// SPDX-License-Identifier: BSD-3-Clause
// Times of messages for which nobody waits, learnt from the trace: the time to copy a message that has arrived already
// (the papers' C(s)·s), and the time to bring one whose receiver waits. Both by the power of two of its size.
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
  // The most that bringing one of that size took; infinite where nobody waited for any.
  double Most(uint64_t bytes) const;
  // Messages of that size, sent from there, wait until they are asked for.
  bool WaitsForReceiver(uint32_t location, uint64_t bytes) const {
    return location < waits_from_.size() && bytes >= waits_from_[location];
  }

 private:
  static constexpr size_t kClasses = 65;
  // Where the trace has no message of any size: 10 GB/s to copy, half of that to bring.
  static constexpr double kCopyNsPerByte = 0.1, kMoveNsPerByte = 0.2;
  using BySize = std::array<double, kClasses>;  // < 0: there was none

  // `otherwise`: for each byte, where there was no message of about that size; `more`: where smaller ones are known.
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
