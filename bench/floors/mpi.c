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

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  (void)sendbuf, (void)sendcount, (void)sendtype, (void)dest, (void)sendtag;
  (void)recvbuf, (void)recvcount, (void)recvtype, (void)source, (void)recvtag, (void)comm;
  Arrive(status);
  return Nothing();
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  (void)source, (void)tag, (void)comm, (void)status;
  *flag = 0;
  return Nothing();
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  (void)buffer, (void)count, (void)datatype, (void)root, (void)comm;
  return Nothing();
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm) {
  (void)sendbuf, (void)recvbuf, (void)count, (void)datatype, (void)op, (void)root, (void)comm;
  return Nothing();
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  (void)sendbuf, (void)sendcount, (void)sendtype, (void)recvbuf, (void)recvcount, (void)recvtype, (void)comm;
  return Nothing();
}

int MPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return Nothing();
}

int MPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  (void)origin_addr, (void)origin_count, (void)origin_datatype, (void)target_rank;
  (void)target_disp, (void)target_count, (void)target_datatype, (void)win;
  return Nothing();
}

int MPI_Win_flush(int rank, MPI_Win win) {
  (void)rank, (void)win;
  return Nothing();
}

int MPI_Type_size(MPI_Datatype type, int* size) {
  (void)type;
  *size = (int)sizeof(double);
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

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  *request = MPI_REQUEST_NULL;
  Arrive(status);
  return Nothing();
}

// Never done.
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  (void)request, (void)status;
  *flag = 0;
  return Nothing();
}

int MPI_Waitall(int count, MPI_Request* all, MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) {
    all[i] = MPI_REQUEST_NULL;
    if (statuses != MPI_STATUSES_IGNORE) Arrive(&statuses[i]);
  }
  return Nothing();
}
