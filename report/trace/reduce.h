// SPDX-License-Identifier: BSD-3-Clause
// Finds how much of a trace fits into a number of bytes, with the longest calls first.
#ifndef EPIK_REPORT_TRACE_REDUCE_H_
#define EPIK_REPORT_TRACE_REDUCE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/trace/walk.h"
#include "report/sink.h"

namespace epik::report {

using archive::TracePart;
using archive::WalkResult;

// Bytes of output by the duration of calls, in steps of an eighth of a power of two.
class BytesByDuration {
 public:
  void Add(int64_t ns, uint64_t bytes) { bytes_[Step(ns)] += bytes; }

  // The shortest duration so that all calls that are at least as long fit.
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

// Sentences about all that a writer left out.
struct LeftOut {
  int64_t shortest;  // of the calls in the output
  uint64_t short_calls, beyond, unmatched;
};
void SayLeftOut(const TracePart& part, const LeftOut& what, std::vector<std::string>* notes);

// Writes with a Writer(part, out, shortest, most). A writer without `out` finds out how long a call must be. An event
// takes about `bytes_at_most` bytes at most.
template <typename Writer>
bool WriteWhatFits(const TracePart& part, uint64_t bytes_at_most, const Sink& sink, std::vector<std::string>* notes) {
  int64_t shortest = part.shortest;
  if (part.most_bytes != 0 && CountEvents(part) > part.most_bytes / bytes_at_most) {
    Writer counted(part, nullptr, shortest, 0);
    counted.Begin();
    Walk(part, &counted);
    const uint64_t other = counted.bytes() + bytes_at_most;
    const uint64_t left = part.most_bytes > other ? part.most_bytes - other : 0;
    shortest = std::max(shortest, counted.calls().ShortestThatFits(left));
  }
  Buffer out(sink);
  Writer writer(part, &out, shortest, part.most_bytes);
  writer.Begin();
  const WalkResult result = Walk(part, &writer);
  writer.Finish();
  *notes = result.problems;
  SayLeftOut(part, {shortest, writer.short_calls(), writer.beyond(), result.unmatched}, notes);
  return true;
}

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_REDUCE_H_
