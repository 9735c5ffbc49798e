// SPDX-License-Identifier: BSD-3-Clause
// Every collective, blocking and not, in place and not, between groups, and with neighbours. The program notes the
// bytes by the standard, for each process: those taken from its send buffer, and those put into its receive buffer.
#include "count.h"

static int rank, size;
static MPI_Comm comm;
static int in[64 * 64], out[64 * 64], counts_of[64], offsets[64], sizes_of[64];
static MPI_Datatype types[64];
enum { kInt = sizeof(int) };

#define WAITED(call, name, o, i)             \
  do {                                       \
    MPI_Request request;                     \
    call;                                    \
    MOVED(name, o, i);                       \
    CALL(Wait, &request, MPI_STATUS_IGNORE); \
  } while (0)

static void Rooted(void) {
  const int root = size - 1;
  const int is_root = rank == root;
  const int sum = size * (size + 1) / 2;  // of 1, 2, … size
  CALL(Bcast, out, 7, MPI_INT, root, comm), MOVED(Bcast, is_root * 7 * kInt, !is_root * 7 * kInt);
  WAITED(CALL(Ibcast, out, 3, MPI_INT, 0, comm, &request), Ibcast, !rank * 3 * kInt, !!rank * 3 * kInt);
  CALL(Gather, out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
  MOVED(Gather, 2 * kInt, is_root * size * 2 * kInt);
  CALL(Gather, is_root ? MPI_IN_PLACE : out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
  MOVED(Gather, !is_root * 2 * kInt, is_root * (size - 1) * 2 * kInt);
  WAITED(CALL(Igather, out, 2, MPI_INT, in, 2, MPI_INT, root, comm, &request), Igather, 2 * kInt,
         is_root * size * 2 * kInt);
  CALL(Gatherv, out, rank + 1, MPI_INT, in, counts_of, offsets, MPI_INT, root, comm);
  MOVED(Gatherv, (rank + 1) * kInt, is_root * sum * kInt);
  WAITED(CALL(Igatherv, out, rank + 1, MPI_INT, in, counts_of, offsets, MPI_INT, root, comm, &request), Igatherv,
         (rank + 1) * kInt, is_root * sum * kInt);
  CALL(Scatter, out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
  MOVED(Scatter, is_root * size * 2 * kInt, 2 * kInt);
  CALL(Scatter, out, 2, MPI_INT, is_root ? MPI_IN_PLACE : in, 2, MPI_INT, root, comm);
  MOVED(Scatter, is_root * (size - 1) * 2 * kInt, !is_root * 2 * kInt);
  WAITED(CALL(Iscatter, out, 2, MPI_INT, in, 2, MPI_INT, root, comm, &request), Iscatter, is_root * size * 2 * kInt,
         2 * kInt);
  CALL(Scatterv, out, counts_of, offsets, MPI_INT, in, rank + 1, MPI_INT, root, comm);
  MOVED(Scatterv, is_root * sum * kInt, (rank + 1) * kInt);
  WAITED(CALL(Iscatterv, out, counts_of, offsets, MPI_INT, in, rank + 1, MPI_INT, root, comm, &request), Iscatterv,
         is_root * sum * kInt, (rank + 1) * kInt);
  CALL(Reduce, out, in, 5, MPI_INT, MPI_SUM, root, comm), MOVED(Reduce, 5 * kInt, is_root * 5 * kInt);
  CALL(Reduce, is_root ? MPI_IN_PLACE : out, in, 5, MPI_INT, MPI_SUM, root, comm);
  MOVED(Reduce, 5 * kInt, is_root * 5 * kInt);
  WAITED(CALL(Ireduce, out, in, 5, MPI_INT, MPI_SUM, root, comm, &request), Ireduce, 5 * kInt, is_root * 5 * kInt);
}

static void All(void) {
  const int sum = size * (size + 1) / 2;
  CALL(Barrier, comm);
  MPI_Request barrier;
  CALL(Ibarrier, comm, &barrier);
  CALL(Wait, &barrier, MPI_STATUS_IGNORE);
  CALL(Allgather, out, 2, MPI_INT, in, 2, MPI_INT, comm), MOVED(Allgather, 2 * kInt, size * 2 * kInt);
  CALL(Allgather, MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, comm);
  MOVED(Allgather, size > 1 ? 2 * kInt : 0, (size - 1) * 2 * kInt);
  WAITED(CALL(Iallgather, out, 2, MPI_INT, in, 2, MPI_INT, comm, &request), Iallgather, 2 * kInt, size * 2 * kInt);
  CALL(Allgatherv, out, rank + 1, MPI_INT, in, counts_of, offsets, MPI_INT, comm);
  MOVED(Allgatherv, (rank + 1) * kInt, sum * kInt);
  CALL(Allgatherv, MPI_IN_PLACE, 0, MPI_INT, in, counts_of, offsets, MPI_INT, comm);
  MOVED(Allgatherv, size > 1 ? (rank + 1) * kInt : 0, (sum - rank - 1) * kInt);
  WAITED(CALL(Iallgatherv, out, rank + 1, MPI_INT, in, counts_of, offsets, MPI_INT, comm, &request), Iallgatherv,
         (rank + 1) * kInt, sum * kInt);
  CALL(Alltoall, out, 2, MPI_INT, in, 2, MPI_INT, comm), MOVED(Alltoall, size * 2 * kInt, size * 2 * kInt);
  CALL(Alltoall, MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, comm);
  MOVED(Alltoall, (size - 1) * 2 * kInt, (size - 1) * 2 * kInt);
  WAITED(CALL(Ialltoall, out, 2, MPI_INT, in, 2, MPI_INT, comm, &request), Ialltoall, size * 2 * kInt, size * 2 * kInt);
  // Every process gets rank + 1 from every process.
  int mine[64];
  for (int i = 0; i < size; ++i) mine[i] = rank + 1;
  CALL(Alltoallv, out, counts_of, offsets, MPI_INT, in, mine, offsets, MPI_INT, comm);
  MOVED(Alltoallv, sum * kInt, size * (rank + 1) * kInt);
  WAITED(CALL(Ialltoallv, out, counts_of, offsets, MPI_INT, in, mine, offsets, MPI_INT, comm, &request), Ialltoallv,
         sum * kInt, size * (rank + 1) * kInt);
  CALL(Alltoallw, out, counts_of, sizes_of, types, in, mine, sizes_of, types, comm);
  MOVED(Alltoallw, sum * kInt, size * (rank + 1) * kInt);
  WAITED(CALL(Ialltoallw, out, counts_of, sizes_of, types, in, mine, sizes_of, types, comm, &request), Ialltoallw,
         sum * kInt, size * (rank + 1) * kInt);
}

static void Reducing(void) {
  const int sum = size * (size + 1) / 2;
  CALL(Allreduce, out, in, 5, MPI_INT, MPI_SUM, comm), MOVED(Allreduce, 5 * kInt, 5 * kInt);
  CALL(Allreduce, MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, comm), MOVED(Allreduce, 5 * kInt, 5 * kInt);
  WAITED(CALL(Iallreduce, out, in, 5, MPI_INT, MPI_SUM, comm, &request), Iallreduce, 5 * kInt, 5 * kInt);
  CALL(Scan, out, in, 4, MPI_INT, MPI_SUM, comm), MOVED(Scan, 4 * kInt, 4 * kInt);
  WAITED(CALL(Iscan, out, in, 4, MPI_INT, MPI_SUM, comm, &request), Iscan, 4 * kInt, 4 * kInt);
  CALL(Exscan, out, in, 4, MPI_INT, MPI_SUM, comm), MOVED(Exscan, 4 * kInt, !!rank * 4 * kInt);
  WAITED(CALL(Iexscan, out, in, 4, MPI_INT, MPI_SUM, comm, &request), Iexscan, 4 * kInt, !!rank * 4 * kInt);
  CALL(Reduce_scatter, out, in, counts_of, MPI_INT, MPI_SUM, comm);
  MOVED(Reduce_scatter, sum * kInt, (rank + 1) * kInt);
  WAITED(CALL(Ireduce_scatter, out, in, counts_of, MPI_INT, MPI_SUM, comm, &request), Ireduce_scatter, sum * kInt,
         (rank + 1) * kInt);
  CALL(Reduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, comm);
  MOVED(Reduce_scatter_block, size * 2 * kInt, 2 * kInt);
  WAITED(CALL(Ireduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, comm, &request), Ireduce_scatter_block,
         size * 2 * kInt, 2 * kInt);
  CALL(Reduce_local, out, in, 4, MPI_INT, MPI_SUM);
}

// A line that is open at both ends: the first and the last have one neighbour.
static void Neighbours(void) {
  MPI_Comm line, graph;
  const int no = 0;
  const int there = (rank > 0) + (rank < size - 1);
  int two[2] = {3, 3};
  int zeros[2] = {0, 0};
  MPI_Aint aints[2] = {0, 0};
  MPI_Datatype pair[2] = {MPI_INT, MPI_INT};
  CALL(Cart_create, comm, 1, &size, &no, 0, &line);
  CALL(Neighbor_allgather, out, 3, MPI_INT, in, 3, MPI_INT, line),
      MOVED(Neighbor_allgather, there ? 3 * kInt : 0, there * 3 * kInt);
  CALL(Neighbor_alltoall, out, 3, MPI_INT, in, 3, MPI_INT, line);
  MOVED(Neighbor_alltoall, there * 3 * kInt, there * 3 * kInt);
  CALL(Neighbor_alltoallv, out, two, zeros, MPI_INT, in, two, zeros, MPI_INT, line);
  MOVED(Neighbor_alltoallv, there * 3 * kInt, there * 3 * kInt);
  CALL(Neighbor_alltoallw, out, two, aints, pair, in, two, aints, pair, line);
  MOVED(Neighbor_alltoallw, there * 3 * kInt, there * 3 * kInt);
  WAITED(CALL(Ineighbor_alltoall, out, 3, MPI_INT, in, 3, MPI_INT, line, &request), Ineighbor_alltoall,
         there * 3 * kInt, there * 3 * kInt);
  CALL(Comm_free, &line);
  // Every process sends to rank 0.
  int sources[64], destination = 0;
  for (int i = 0; i < size; ++i) sources[i] = i;
  const int from = rank == 0 ? size : 0;
  CALL(Dist_graph_create_adjacent, comm, from, sources, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL,
       0, &graph);
  CALL(Neighbor_allgatherv, out, rank + 1, MPI_INT, in, counts_of, offsets, MPI_INT, graph);
  MOVED(Neighbor_allgatherv, (rank + 1) * kInt, !rank * size * (size + 1) / 2 * kInt);
  CALL(Comm_free, &graph);
}

static void BetweenGroups(void) {
  MPI_Comm half, inter;
  if (size < 2) return;
  CALL(Comm_split, comm, rank % 2, rank, &half);
  CALL(Intercomm_create, half, 0, comm, 1 - rank % 2, 5, &inter);
  int others, own;
  CALL(Comm_remote_size, inter, &others);
  CALL(Comm_size, inter, &own);
  // The first of the even ranks is the root.
  const int root = rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
  CALL(Bcast, out, 3, MPI_INT, root, inter), MOVED(Bcast, !rank * 3 * kInt, rank % 2 * 3 * kInt);
  CALL(Gather, out, 2, MPI_INT, in, 2, MPI_INT, root, inter);
  MOVED(Gather, rank % 2 * 2 * kInt, !rank * others * 2 * kInt);
  CALL(Reduce, out, in, 2, MPI_INT, MPI_SUM, root, inter), MOVED(Reduce, rank % 2 * 2 * kInt, !rank * 2 * kInt);
  CALL(Allgather, out, 2, MPI_INT, in, 2, MPI_INT, inter), MOVED(Allgather, 2 * kInt, others * 2 * kInt);
  CALL(Alltoall, out, 2, MPI_INT, in, 2, MPI_INT, inter), MOVED(Alltoall, others * 2 * kInt, others * 2 * kInt);
  CALL(Allreduce, out, in, 2, MPI_INT, MPI_SUM, inter), MOVED(Allreduce, 2 * kInt, 2 * kInt);
  CALL(Comm_free, &inter);
  CALL(Comm_free, &half);
}

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  CALL(Comm_dup, MPI_COMM_WORLD, &comm);
  for (int i = 0; i < size; ++i) {
    counts_of[i] = i + 1;
    offsets[i] = 64 * i;
    sizes_of[i] = 64 * i * kInt;
    types[i] = MPI_INT;
  }
  Rooted();
  All();
  Reducing();
  Neighbours();
  BetweenGroups();
  CALL(Comm_free, &comm);
  CALL(Finalize);
  WriteCounts(rank);
  return 0;
}
