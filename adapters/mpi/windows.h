// SPDX-License-Identifier: BSD-3-Clause
// Windows of one-sided communication. Like communicators, they have an identity, a number, and ranks.
#ifndef EPIK_ADAPTERS_MPI_WINDOWS_H_
#define EPIK_ADAPTERS_MPI_WINDOWS_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

// Collective over `comm`.
void CreatedWindow(MPI_Comm comm, MPI_Win window);
void NamedWindow(MPI_Win window);
void ForgetWindow(MPI_Win window);

// The number in records; 0: not known.
uint32_t NumberOfWindow(MPI_Win window);
// Logs a call that frees the window, on the communicator that it was made on. Does nothing if the window is not known.
void LogLastWindowCall(uint32_t operation, MPI_Win window);
// The same, and the rank of one of its processes in MPI_COMM_WORLD; negative: not known.
struct WindowMember {
  uint32_t window;
  int32_t rank;
};
WindowMember MemberOf(int rank, MPI_Win window);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_WINDOWS_H_
