// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/collective_wait.h"

namespace epik::patterns {

const PatternInfo kRmaWaitAtCreateInfo = {"mpi_rma_wait_at_create",
                                          "mpi_mgmt_win",
                                          "Wait at Window Creation",
                                          "Of each process that makes a window: from its enter until the last "
                                          "process's, when no process left the call before.",
                                          "Making a window brings its processes together, and the early ones wait.",
                                          "Make windows once, where processes are together anyway, and keep them."};

std::unique_ptr<Pattern> MakeRmaWaitAtCreate(uint32_t number, Severities* severities) {
  return std::make_unique<CollectiveWait>(kRmaWaitAtCreateInfo, number, severities, replay::Role::kMakeWindow);
}

}  // namespace epik::patterns
