// SPDX-License-Identifier: BSD-3-Clause
// Open files, and the processes that opened each file together, so that a trace shows which processes wait for which in
// a collective call.
#ifndef EPIK_ADAPTERS_MPI_FILES_H_
#define EPIK_ADAPTERS_MPI_FILES_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

void OpenedFile(MPI_Comm comm, MPI_File file);
void ClosedFile(MPI_File file);

// Logs a call that is collective over the processes of `file`. Does nothing if the file is not known.
void LogFileCall(uint32_t operation, MPI_File file);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_FILES_H_
