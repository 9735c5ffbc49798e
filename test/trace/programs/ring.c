/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank passes something on, and all agree; some threads of OpenMP work besides when there are any. */
#include <mpi.h>

enum { kSteps = 50 };

static volatile double sink;

static void Compute(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sink = i;
}

static void PassOn(int rank, int size, MPI_Comm comm) {
  int mine[4] = {rank, 0, 0, 0}, theirs[4];
  MPI_Request requests[2];
  MPI_Irecv(theirs, 4, MPI_INT, (rank + size - 1) % size, 1, comm, &requests[0]);
  MPI_Isend(mine, 4, MPI_INT, (rank + 1) % size, 1, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm ours;
  MPI_Comm_dup(MPI_COMM_WORLD, &ours);
  for (int step = 0; step < kSteps; ++step) {
    Compute(1000 * (1 + rank));
    PassOn(rank, size, step % 2 == 0 ? MPI_COMM_WORLD : ours);
    double one = 1, all;
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, ours);
  }
  MPI_Comm_free(&ours);
  MPI_Finalize();
  return 0;
}
