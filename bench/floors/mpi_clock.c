// SPDX-License-Identifier: BSD-3-Clause
// Wraps the calls of MPI that messages.c makes and reads the clock twice around each, which is the least that timing
// every call takes. It is preloaded, for any MPI.
#include <mpi.h>

#include "bench/floors/ticks.h"

// volatile: the store must happen although nothing reads it
static __thread volatile uint64_t last_ticks;

#define TIMED(name, parameters, arguments)   \
  int MPI_##name parameters {                \
    last_ticks = ReadTicks();                \
    const int error = PMPI_##name arguments; \
    last_ticks = ReadTicks();                \
    return error;                            \
  }

TIMED(Send, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
      (buf, count, datatype, dest, tag, comm))
TIMED(Isend,
      (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request),
      (buf, count, datatype, dest, tag, comm, request))
TIMED(Irecv, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request),
      (buf, count, datatype, source, tag, comm, request))
TIMED(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
TIMED(Waitall, (int count, MPI_Request* requests, MPI_Status* statuses), (count, requests, statuses))
TIMED(Put,
      (const void* from, int count, MPI_Datatype datatype, int target, MPI_Aint place, int target_count,
       MPI_Datatype target_datatype, MPI_Win window),
      (from, count, datatype, target, place, target_count, target_datatype, window))
TIMED(Win_flush, (int rank, MPI_Win window), (rank, window))
