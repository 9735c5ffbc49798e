/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication of two ranks, each way of synchronizing once; a region whose name has a million letters. */
#include <epik/epik.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int other = (rank + 1) % size;
  double *memory, value = rank;
  MPI_Win window;
  MPI_Win_allocate(8 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);

  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, window);
  MPI_Accumulate(&value, 1, MPI_DOUBLE, other, 1, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);

  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
  MPI_Get(&value, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, window);
  MPI_Win_unlock(other, window);

  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &one);
  MPI_Win_post(one, 0, window);
  MPI_Win_start(one, 0, window);
  MPI_Put(&value, 1, MPI_DOUBLE, other, 2, 1, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&one);
  MPI_Group_free(&all);

  const size_t length = 1 << 20;
  char* name = malloc(length + 1);
  memset(name, 'x', length);
  name[length] = '\0';
  const epik_region_t huge = epik_region(name, __FILE__, __LINE__);
  epik_enter(huge);
  epik_exit(huge);
  free(name);

  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
