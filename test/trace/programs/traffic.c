/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to move data that a trace has records of. */
#include <mpi.h>

#include "epik/epik.h"

static int rank, size, right, left;

static void Messages(MPI_Comm comm) {
  int mine[8] = {rank}, theirs[8];
  MPI_Request request[2];
  MPI_Sendrecv(mine, 3, MPI_INT, right, 1, theirs, 8, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
  MPI_Irecv(theirs, 8, MPI_INT, left, 2, comm, &request[0]);
  MPI_Isend(mine, 5, MPI_INT, right, 2, comm, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  MPI_Irecv(theirs, 8, MPI_INT, MPI_ANY_SOURCE, 3, comm, &request[0]);
  MPI_Send(mine, 0, MPI_INT, right, 3, comm);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  MPI_Send(mine, 8, MPI_INT, MPI_PROC_NULL, 3, comm);
}

static void Persistent(MPI_Comm comm) {
  int mine[4] = {rank}, theirs[4];
  MPI_Request request[2];
  MPI_Send_init(mine, 4, MPI_INT, right, 4, comm, &request[0]);
  MPI_Recv_init(theirs, 4, MPI_INT, left, 4, comm, &request[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, request);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&request[0]);
  MPI_Request_free(&request[1]);
}

static void Together(MPI_Comm comm) {
  double one[4] = {1}, all[4];
  MPI_Request request;
  MPI_Barrier(comm);
  MPI_Bcast(one, 4, MPI_DOUBLE, size - 1, comm);
  MPI_Allreduce(one, all, 2, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Reduce(one, all, 3, MPI_DOUBLE, MPI_MAX, 0, comm);
  MPI_Ibcast(one, 4, MPI_DOUBLE, 0, comm, &request);
  EPIK_PARAMETER("inner", 7);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void OneSided(MPI_Comm comm) {
  long memory[4] = {0}, value[4] = {1, 2, 3, 4}, old = 0;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, comm, &window);
  MPI_Win_fence(0, window);
  MPI_Put(value, 2, MPI_LONG, right, 0, 2, MPI_LONG, window);
  MPI_Win_fence(0, window);
  MPI_Get(value, 1, MPI_LONG, left, 0, 1, MPI_LONG, window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(value, 1, MPI_LONG, right, 2, 1, MPI_LONG, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Fetch_and_op(value, &old, MPI_LONG, right, 3, MPI_SUM, window);
  MPI_Get_accumulate(value, 0, MPI_LONG, &old, 0, MPI_LONG, right, 3, 0, MPI_LONG, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  MPI_Comm ours;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &ours);
  for (int step = 0; step < 5; ++step) {
    EPIK_PARAMETER("step", step);
    Messages(step % 2 == 0 ? MPI_COMM_WORLD : ours);
    Persistent(ours);
    Together(ours);
    OneSided(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&ours);
  MPI_Finalize();
  return 0;
}
