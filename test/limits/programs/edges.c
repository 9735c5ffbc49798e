// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 receives from itself and from rank 1 in turns, over so many pairs of edges: edges PAIRS. Each pair is a run.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int pairs = argc > 1 ? atoi(argv[1]) : 1;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* sources = calloc(2 * (size_t)pairs, sizeof *sources);
  int* targets = calloc((size_t)pairs, sizeof *targets);
  int* got = calloc(2 * (size_t)pairs, sizeof *got);
  for (int i = 0; i < pairs; ++i) sources[2 * i + 1] = 1;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? 2 * pairs : 0, sources, MPI_UNWEIGHTED, pairs, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
  MPI_Comm_free(&graph);
  free(got);
  free(targets);
  free(sources);
  MPI_Finalize();
  return 0;
}
