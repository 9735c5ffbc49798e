// SPDX-License-Identifier: BSD-3-Clause
// Windows of one-sided communication, as communicators are: an identity, a number, ranks.
#ifndef EPIK_ADAPTERS_MPI_WINDOWS_H_
#define EPIK_ADAPTERS_MPI_WINDOWS_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

// Collective over `comm`.
void CreatedWindow(MPI_Comm comm, MPI_Win window);
void NamedWindow(MPI_Win window);
void ForgetWindow(MPI_Win window);

// In records. 0: it is not known.
uint32_t NumberOfWindow(MPI_Win window);
// A record of a call that frees it, by the communicator that it was made on. Nothing, when it is not known.
void LogLastWindowCall(uint32_t operation, MPI_Win window);
// REQUIRES: a window that has a number.
int32_t WorldRankIn(int rank, MPI_Win window);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_WINDOWS_H_
