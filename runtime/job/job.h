// SPDX-License-Identifier: BSD-3-Clause
// This process as one of many: what an adapter for MPI says about the job, and how its processes end together.
#ifndef EPIK_RUNTIME_JOB_JOB_H_
#define EPIK_RUNTIME_JOB_JOB_H_

#include "runtime/abi/process_group.h"
#include "runtime/event/layout.h"

namespace epik::job {

// MPI is about to begin. The processes of a job whose launcher names it share one unfinished archive from now on: a
// rank that is killed before MPI is up belongs to its job. Not collective.
void ExpectJob();

// The processes of a job get one archive. Collective. True: some of them are measured.
bool JoinJob(const EpikProcessGroup& group);

// Whether clocks are measured again at barriers: the same answer in all processes.
bool ClocksDrift();
// REQUIRES: ClocksDrift(), and that all processes call it after each barrier of theirs. Of the time since the last
// measurement and of the number of barriers until the next decision rank 0 alone judges.
void AfterBarrier(const EpikProcessGroup& group, const void* stack);

// The measurement of all processes ends, and rank 0 writes the archive. Collective.
void FinishJob(const EpikProcessGroup& group);

// This process ends without the others: what it measured stays in its arena. Not collective.
void LeaveJob(event::Ending ending, int value);

}  // namespace epik::job

#endif  // EPIK_RUNTIME_JOB_JOB_H_
