// SPDX-License-Identifier: BSD-3-Clause
// Grids of different shapes, each of DIMENSIONS dimensions: grids COMMUNICATORS DIMENSIONS.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 1, dimensions = argc > 2 ? atoi(argv[2]) : 1;
  int* sizes = calloc((size_t)dimensions, sizeof *sizes);
  int* periods = calloc((size_t)dimensions, sizeof *periods);
  for (int i = 0; i < dimensions; ++i) sizes[i] = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &sizes[dimensions - 1]);
  for (int shape = 0; shape < count; ++shape) {
    for (int i = 0; i < dimensions && i < 31; ++i) periods[i] = shape >> i & 1;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &grid);
    MPI_Comm_free(&grid);
  }
  free(periods);
  free(sizes);
  MPI_Finalize();
  return 0;
}
