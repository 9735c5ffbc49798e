// SPDX-License-Identifier: BSD-3-Clause
// Ranks of any communicator as ranks of MPI_COMM_WORLD.
#ifndef EPIK_ADAPTERS_MPI_RANKS_H_
#define EPIK_ADAPTERS_MPI_RANKS_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

// Of the process that has `rank` in the communicator, or in its remote group. Negative: it is no process of this job
// (spawned, connected to), or there are none at all (MPI_PROC_NULL).
int32_t WorldRank(int rank, MPI_Comm comm);

// The handle is about to mean another communicator, or has begun to.
void ForgetRanks(MPI_Comm comm);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_RANKS_H_
