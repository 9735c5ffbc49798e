// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/job.h"

#include "runtime/episode/lifecycle.h"
#include "runtime/episode/rescue.h"

namespace epik::episode {

void JoinJob(const EpikProcessGroup& group) {
  if (!EnsureStarted()) return;
  event::Process()->rank = group.rank;
  event::Process()->ranks = static_cast<uint32_t>(group.size);
}

void FinishJob(const EpikProcessGroup&) { Finish(event::Ending::kMpiFinalize, 0); }

void LeaveJob(event::Ending ending, int value) { Rescue(ending, value); }

}  // namespace epik::episode
