// SPDX-License-Identifier: BSD-3-Clause
// This process as one of many: what an adapter for MPI says about the job, and how its processes end together.
#ifndef EPIK_RUNTIME_EPISODE_JOB_H_
#define EPIK_RUNTIME_EPISODE_JOB_H_

#include "runtime/archive/process_group.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// The processes of a job get one archive. Collective.
void JoinJob(const EpikProcessGroup& group);

// The measurement of all processes ends, and rank 0 writes the archive. Collective.
void FinishJob(const EpikProcessGroup& group);

// This process ends without the others: what it measured stays in its arena. Not collective.
void LeaveJob(event::Ending ending, int value);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_JOB_H_
