// SPDX-License-Identifier: BSD-3-Clause
// How much of a trace fits into so many bytes: first the longest calls.
#ifndef EPIK_REPORT_TRACE_REDUCE_H_
#define EPIK_REPORT_TRACE_REDUCE_H_

#include <array>
#include <bit>
#include <cstdint>

namespace epik::report {

// Bytes of output by how long the calls took, in steps of an eighth of a power of two.
class BytesByDuration {
 public:
  void Add(int64_t ns, uint64_t bytes) { bytes_[Step(ns)] += bytes; }

  // The duration from which on all calls fit.
  int64_t ShortestThatFits(uint64_t bytes) const {
    uint64_t taken = 0;
    for (size_t step = bytes_.size(); step-- > 0;) {
      taken += bytes_[step];
      if (taken > bytes) return First(step + 1);
    }
    return 0;
  }

 private:
  static size_t Step(int64_t duration) {
    const auto ns = static_cast<uint64_t>(duration < 0 ? 0 : duration);
    if (ns < 8) return ns;
    const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1;
    return power * 8 + (ns >> (power - 3) & 7);
  }
  static int64_t First(size_t step) {
    if (step < 8) return static_cast<int64_t>(step);
    if (step < 24) return 8;
    if (step >= 63 * 8) return INT64_MAX;
    return static_cast<int64_t>((8 + step % 8) << (step / 8 - 3));
  }

  std::array<uint64_t, 64 * 8> bytes_{};
};

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_REDUCE_H_
