// SPDX-License-Identifier: BSD-3-Clause
// Reports Cartesian communicators as topologies.
#ifndef EPIK_ADAPTERS_MPI_SHAPES_H_
#define EPIK_ADAPTERS_MPI_SHAPES_H_

#include <mpi.h>

namespace epik::mpi {

// Takes a communicator that was made or named. Does nothing if this process is not in it, or if it is not Cartesian.
void Shaped(MPI_Comm comm);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_SHAPES_H_
