// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI that return at once and send nothing. They are preloaded behind EPIK, like any other tool of MPI's
// profiling interface. With -DFLOOR each reads the clock twice, the least that timing takes. For Open MPI.
#include <mpi.h>

#include "bench/floors/ticks.h"

// volatile: the store must happen although nothing reads it
static __thread volatile uint64_t last_ticks;

static int Nothing(void) {
#ifdef FLOOR
  last_ticks = ReadTicks();
  last_ticks = ReadTicks();
#else
  (void)last_ticks;
#endif
  return MPI_SUCCESS;
}

static void Arrive(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = status->MPI_TAG = 0;
  status->MPI_ERROR = MPI_SUCCESS;
  status->_ucount = sizeof(double);
  status->_cancelled = 0;
}

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  (void)buf, (void)count, (void)datatype, (void)dest, (void)tag, (void)comm;
  return Nothing();
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  (void)buf, (void)count, (void)datatype, (void)source, (void)tag, (void)comm;
  Arrive(status);
  return Nothing();
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  (void)sendbuf, (void)recvbuf, (void)count, (void)datatype, (void)op, (void)comm;
  return Nothing();
}

// Handles that nothing looks into.
static uint64_t requests[2][32];

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  (void)buf, (void)count, (void)datatype, (void)source, (void)tag, (void)comm;
  *request = (MPI_Request)requests[0];
  return Nothing();
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  (void)buf, (void)count, (void)datatype, (void)dest, (void)tag, (void)comm;
  *request = (MPI_Request)requests[1];
  return Nothing();
}

int MPI_Waitall(int count, MPI_Request* all, MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) {
    all[i] = MPI_REQUEST_NULL;
    if (statuses != MPI_STATUSES_IGNORE) Arrive(&statuses[i]);
  }
  return Nothing();
}
