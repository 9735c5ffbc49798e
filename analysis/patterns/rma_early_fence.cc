// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

const PatternInfo kRmaEarlyFenceInfo = {
    "mpi_rma_early_fence",
    "mpi_rma_wait_at_fence",
    "Early Fence",
    "The part of Wait at Fence until the last access of another process to the own memory had ended.",
    "A process came to a fence while others still accessed its memory.",
    "Let the target do something else first, or let the others access earlier."};

namespace {

class RmaEarlyFence : public Pattern {
 public:
  unsigned wants() const override { return kWindows; }
  using Pattern::Pattern;
  void Fenced(const replay::WindowFence& fence) override {
    if (!fence.IsTogether()) return;
    const int64_t last = fence.calls[fence.Last()].enter;
    for (size_t c = 0; c < fence.calls.size(); ++c) {
      const replay::Call& call = fence.calls[c];
      if (fence.accessed[c] <= call.enter) continue;
      AddWait(call.location, call.path, call.enter, call.enter, std::min({fence.accessed[c], last, call.leave}));
    }
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeRmaEarlyFence(uint32_t number, Severities* severities) {
  return std::make_unique<RmaEarlyFence>(kRmaEarlyFenceInfo, number, severities);
}

}  // namespace epik::patterns
