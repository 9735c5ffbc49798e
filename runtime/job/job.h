// SPDX-License-Identifier: BSD-3-Clause
// This process as one of many: an adapter for MPI tells about the job here, and its processes end together.
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
// REQUIRES: ClocksDrift(), and that all processes call it after each barrier of theirs. Rank 0 alone decides by the
// time since the last measurement, and sets the number of barriers until the next decision.
void AfterBarrier(const EpikProcessGroup& group, const void* stack);

// The measurement of all processes ends, and rank 0 writes the archive. Collective.
void FinishJob(const EpikProcessGroup& group);

// This process ends without the others: its measurement stays in its arena. Not collective.
void LeaveJob(event::Ending ending, int value);

}  // namespace epik::job

#endif  // EPIK_RUNTIME_JOB_JOB_H_
