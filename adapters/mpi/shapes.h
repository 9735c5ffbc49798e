// SPDX-License-Identifier: BSD-3-Clause
// Cartesian communicators as topologies of the report.
#ifndef EPIK_ADAPTERS_MPI_SHAPES_H_
#define EPIK_ADAPTERS_MPI_SHAPES_H_

#include <mpi.h>

namespace epik::mpi {

// A communicator that was made or named. Nothing, when this process is not in it or it is not Cartesian.
void Shaped(MPI_Comm comm);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_SHAPES_H_
