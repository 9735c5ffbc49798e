// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

const PatternInfo kRmaWaitAtFenceInfo = {
    "mpi_rma_wait_at_fence",
    "mpi_rma_sync_active",
    "Wait at Fence",
    "Of each process in MPI_Win_fence: from its enter until the last process's, when no process left the fence before.",
    "Processes come to a fence at different times, and the early ones wait.",
    "Even out the work between fences, or synchronise only those that access each other (MPI_Win_post, "
    "MPI_Win_start)."};

namespace {

class RmaWaitAtFence : public Pattern {
 public:
  unsigned wants() const override { return kWindows; }
  using Pattern::Pattern;
  void Fenced(const replay::WindowFence& fence) override {
    if (!fence.IsTogether()) return;
    const int64_t last = fence.calls[fence.Last()].enter;
    for (const replay::Call& call : fence.calls) {
      AddWait(call.location, call.path, call.enter, call.enter, std::min(last, call.leave));
    }
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeRmaWaitAtFence(uint32_t number, Severities* severities) {
  return std::make_unique<RmaWaitAtFence>(kRmaWaitAtFenceInfo, number, severities);
}

}  // namespace epik::patterns
