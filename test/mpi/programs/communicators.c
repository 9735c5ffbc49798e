// SPDX-License-Identifier: BSD-3-Clause
// Communicators made in every way, and a message on each, which tells the communicator.
#include "count.h"

static int rank, size;
enum { kInt = sizeof(int) };

// Around the ring of an intra-communicator, which is freed.
static void Use(MPI_Comm comm, int tag) {
  if (comm == MPI_COMM_NULL) return;
  int me, all, out = 1, in = 0;
  CALL(Comm_rank, comm, &me);
  CALL(Comm_size, comm, &all);
  CALL(Sendrecv, &out, 1, MPI_INT, (me + 1) % all, tag, &in, 1, MPI_INT, (me + all - 1) % all, tag, comm,
       MPI_STATUS_IGNORE);
  SENT(Sendrecv, kInt), GOT(Sendrecv, kInt);
  CALL(Allreduce, &out, &in, 1, MPI_INT, MPI_SUM, comm), MOVED(Allreduce, kInt, kInt);
  if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) CALL(Comm_free, &comm);
}

static void Copies(void) {
  MPI_Comm first, second, of_first;
  MPI_Request request;
  CALL(Comm_dup, MPI_COMM_WORLD, &first);
  CALL(Comm_idup, MPI_COMM_WORLD, &second, &request);
  CALL(Comm_set_name, first, "first");
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Comm_dup_with_info, first, MPI_INFO_NULL, &of_first);
  Use(of_first, 1);
  Use(second, 2);
  Use(first, 3);
  // Handles come back, but for other communicators.
  for (int i = 0; i < 5; ++i) {
    CALL(Comm_dup, i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD, &first);
    Use(first, 4);
  }
}

static void Parts(void) {
  MPI_Comm part;
  CALL(Comm_split, MPI_COMM_WORLD, rank % 3, -rank, &part);
  Use(part, 5);
  CALL(Comm_split, MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &part);
  Use(part, 6);
  CALL(Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &part);
  Use(part, 7);
  MPI_Group all, some;
  int members[64], count = 0;
  for (int i = size - 1; i >= 0; i -= 2) members[count++] = i;
  CALL(Comm_group, MPI_COMM_WORLD, &all);
  CALL(Group_incl, all, count, members, &some);
  CALL(Comm_create, MPI_COMM_WORLD, some, &part);
  Use(part, 8);
  int place;
  CALL(Group_rank, some, &place);
  // Only its members take part, once and again, while the others go on.
  for (int i = 0; place != MPI_UNDEFINED && i < 3; ++i) {
    CALL(Comm_create_group, MPI_COMM_WORLD, some, 77, &part);
    Use(part, 9);
  }
  CALL(Group_free, &all);
  CALL(Group_free, &some);
  CALL(Comm_split, MPI_COMM_WORLD, 0, 0, &part);
  Use(part, 10);
}

static void Shapes(void) {
  int sizes[2] = {0, 0}, periods[2] = {1, 0}, kept[2] = {0, 1};
  MPI_Comm grid, row, graph;
  CALL(Dims_create, size, 2, sizes);
  CALL(Cart_create, MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
  CALL(Comm_set_name, grid, "grid");
  if (grid != MPI_COMM_NULL) {
    CALL(Cart_sub, grid, kept, &row);
    Use(row, 11);
  }
  Use(grid, 12);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  CALL(Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
       0, &graph);
  Use(graph, 13);
}

static void Between(void) {
  if (size < 2) return;
  MPI_Comm half, inter, copy, merged;
  int me, others, in = 0, out = rank;
  CALL(Comm_split, MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int i = 0; i < 2; ++i) {
    CALL(Intercomm_create, half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
    CALL(Comm_dup, inter, &copy);
    CALL(Comm_rank, inter, &me);
    CALL(Comm_remote_size, inter, &others);
    if (me < others) {
      CALL(Sendrecv, &out, 1, MPI_INT, me, 1, &in, 1, MPI_INT, me, 1, copy, MPI_STATUS_IGNORE);
      SENT(Sendrecv, kInt), GOT(Sendrecv, kInt);
      CALL(Sendrecv, &out, 1, MPI_INT, me, 2, &in, 1, MPI_INT, me, 2, inter, MPI_STATUS_IGNORE);
      SENT(Sendrecv, kInt), GOT(Sendrecv, kInt);
    }
    CALL(Intercomm_merge, inter, rank % 2, &merged);
    Use(merged, 14);
    CALL(Comm_free, &copy);
    CALL(Comm_free, &inter);
  }
  CALL(Comm_free, &half);
}

// A receive that completes when its communicator's handle is gone.
static void Outlived(void) {
  MPI_Comm comm;
  MPI_Request requests[2];
  int out = rank, in = -1;
  CALL(Comm_split, MPI_COMM_WORLD, 0, -rank, &comm);
  int me;
  CALL(Comm_rank, comm, &me);
  CALL(Irecv, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[0]);
  CALL(Isend, &out, 1, MPI_INT, (me + 1) % size, 1, comm, &requests[1]), SENT(Isend, kInt);
  CALL(Comm_free, &comm);
  CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE), GOT(Waitall, kInt);
}

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  CALL(Comm_set_name, MPI_COMM_WORLD, "everybody");
  Use(MPI_COMM_WORLD, 1);
  Use(MPI_COMM_SELF, 1);
  Copies();
  Parts();
  Shapes();
  Between();
  Outlived();
  CALL(Finalize);
  WriteCounts(rank);
  if (rank == 0) printf("done\n");
  return 0;
}
