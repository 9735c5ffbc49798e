// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

const PatternInfo kRmaLateCompleteInfo = {
    "mpi_rma_late_complete",
    "mpi_rma_early_wait",
    "Late Complete",
    "The part of Early Wait after the last access to the memory had ended.",
    "A target waits for others that are through with its memory and have not said so.",
    "Call MPI_Win_complete right after the last access."};

namespace {

class RmaLateComplete : public Pattern {
 public:
  unsigned wants() const override { return kWindows; }
  using Pattern::Pattern;
  void Synchronised(const replay::WindowWait& wait) override {
    const replay::Call& call = wait.call;
    if (wait.why != replay::WindowWait::Why::kComplete || call.operation.role == replay::Role::kTest) return;
    const int64_t from = std::max(call.enter, wait.accessed);
    AddWait(call.location, call.path, call.enter, from, std::min(wait.ready(), call.leave));
  }
};

}  // namespace

std::unique_ptr<Pattern> MakeRmaLateComplete(uint32_t number, Severities* severities) {
  return std::make_unique<RmaLateComplete>(kRmaLateCompleteInfo, number, severities);
}

}  // namespace epik::patterns
