/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian communicators: one grid made again and again, its rows, a circle of the first two processes only, one
   without dimensions and a graph, which are none. Each process writes down where it is. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void say(FILE* out, const char* name, MPI_Comm comm) {
  int dims, sizes[3], periods[3], coords[3];
  MPI_Cartdim_get(comm, &dims);
  MPI_Cart_get(comm, dims, sizes, periods, coords);
  fprintf(out, "%s|", name);
  for (int i = 0; i < dims; ++i) fprintf(out, "%s%d,%d,%d", i ? " " : "", sizes[i], periods[i], coords[i]);
  fprintf(out, "\n");
}

int main(int argc, char** argv) {
  int size, sizes[2] = {0, 0}, periods[2] = {1, 0}, line = 2, around = 1, keep[2] = {0, 1}, root = 0;
  char file[64];
  MPI_Comm grid, row, pair, point, graph;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(file, sizeof file, "places.%d", rank);
  FILE* out = fopen(file, "w");
  MPI_Dims_create(size, 2, sizes);
  for (int i = 0; i < 20; ++i) {
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    if (i < 19) MPI_Comm_free(&grid);
  }
  MPI_Comm_set_name(grid, "the <grid>");
  say(out, "the <grid>", grid);
  MPI_Cart_sub(grid, keep, &row);
  say(out, "", row);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &line, &around, 0, &pair);
  if (pair != MPI_COMM_NULL) say(out, "", pair);
  MPI_Cart_create(MPI_COMM_WORLD, 0, &line, &around, 0, &point);
  int index[1] = {1};
  MPI_Graph_create(MPI_COMM_WORLD, 1, index, &root, 0, &graph);
  fclose(out);
  for (int i = 0; i < 16; ++i) {
    if (argc < 2 || strcmp(argv[1], "slow")) break;
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(20000);
  }
  if (argc > 1 && !strcmp(argv[1], "kill")) {
    MPI_Barrier(MPI_COMM_WORLD); /* all have written where they are */
    if (rank == size - 1) raise(SIGKILL);
  }
  MPI_Barrier(grid);
  MPI_Finalize();
  return 0;
}
