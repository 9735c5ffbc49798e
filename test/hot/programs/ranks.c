// SPDX-License-Identifier: BSD-3-Clause
// Each rank calls a small function 400 000 times, and sends to its neighbour every 20 000 calls.
#include <mpi.h>

__attribute__((noinline, noclone)) unsigned Step(unsigned x) {
  for (unsigned i = 0; i < 8; ++i) {
    x = x * 1664525u + 1013904223u;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned x = (unsigned)rank, y = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20000; ++i) x = Step(x);
    MPI_Sendrecv(&x, 1, MPI_UNSIGNED, (rank + 1) % size, 1, &y, 1, MPI_UNSIGNED, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    x ^= y;
  }
  MPI_Finalize();
  return 0;
}
