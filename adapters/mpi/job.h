// SPDX-License-Identifier: BSD-3-Clause
// The begin and the ends of the job in this process.
#ifndef EPIK_ADAPTERS_MPI_JOB_H_
#define EPIK_ADAPTERS_MPI_JOB_H_

#include <mpi.h>

namespace epik::mpi {

// MPI is about to be initialized.
void Expect();
// MPI was initialized. Collective over MPI_COMM_WORLD.
void Join();
// MPI is about to be finalized. Collective.
void Leave();
// MPI_Finalize is no part of another call.
void LeaveOtherCalls();
// Clocks are measured again at some barriers of MPI_COMM_WORLD.
extern bool clocks_drift;
void AfterBarrier(MPI_Comm comm, const void* stack);
// The program aborts the job.
void Abandon(int code);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_JOB_H_
