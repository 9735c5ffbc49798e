// SPDX-License-Identifier: BSD-3-Clause
// Arguments that MPI ignores by the standard, each as wrong as MPI itself tolerates: null handles, null pointers,
// negative counts. A tool that looks at one ends the job, because errors are fatal here. There is one function for each
// rule.
#include "count.h"

enum { kInt = sizeof(int), kMany = 64 };
#define NO_TYPE MPI_DATATYPE_NULL
#ifdef OPEN_MPI
#define TYPE_OF_NONE MPI_INT  // it checks that one
#else
#define TYPE_OF_NONE MPI_DATATYPE_NULL
#endif
enum { kBad = -7 };  // a count, or a rank

static int rank, size;
static int out[kMany * kMany], in[kMany * kMany];
static int sevens[kMany], offsets[kMany];

// Only the root's arguments count: for the receive buffer of a gather, and the send buffer of a scatter.
static void Roots(MPI_Comm comm) {
  const int root = size - 1, is_root = rank == root;
  const MPI_Datatype at_root = is_root ? MPI_INT : NO_TYPE;
  const int n = is_root ? 7 : kBad;
  CALL(Gather, out, 7, MPI_INT, is_root ? in : NULL, n, at_root, root, comm);
  MOVED(Gather, 7 * kInt, is_root ? size * 7 * kInt : 0);
  CALL(Gatherv, out, 7, MPI_INT, is_root ? in : NULL, is_root ? sevens : NULL, is_root ? offsets : NULL, at_root, root,
       comm);
  MOVED(Gatherv, 7 * kInt, is_root ? size * 7 * kInt : 0);
  CALL(Scatter, is_root ? out : NULL, n, at_root, in, 7, MPI_INT, root, comm);
  MOVED(Scatter, is_root ? size * 7 * kInt : 0, 7 * kInt);
  CALL(Scatterv, is_root ? out : NULL, is_root ? sevens : NULL, is_root ? offsets : NULL, at_root, in, 7, MPI_INT, root,
       comm);
  MOVED(Scatterv, is_root ? size * 7 * kInt : 0, 7 * kInt);
  CALL(Reduce, out, is_root ? in : NULL, 7, MPI_INT, MPI_SUM, root, comm);
  MOVED(Reduce, 7 * kInt, is_root ? 7 * kInt : 0);
}

// In place: the count and the type of the buffer that is not there.
static void InPlace(MPI_Comm comm) {
  const int is_root = rank == 0;
  if (is_root) CALL(Gather, MPI_IN_PLACE, kBad, NO_TYPE, in, 7, MPI_INT, 0, comm);
  if (!is_root) CALL(Gather, out, 7, MPI_INT, NULL, kBad, NO_TYPE, 0, comm);
  MOVED(Gather, is_root ? 0 : 7 * kInt, is_root ? (size - 1) * 7 * kInt : 0);
  if (is_root) CALL(Gatherv, MPI_IN_PLACE, kBad, NO_TYPE, in, sevens, offsets, MPI_INT, 0, comm);
  if (!is_root) CALL(Gatherv, out, 7, MPI_INT, NULL, NULL, NULL, NO_TYPE, 0, comm);
  MOVED(Gatherv, is_root ? 0 : 7 * kInt, is_root ? (size - 1) * 7 * kInt : 0);
  if (is_root) CALL(Scatter, out, 7, MPI_INT, MPI_IN_PLACE, kBad, NO_TYPE, 0, comm);
  if (!is_root) CALL(Scatter, NULL, kBad, NO_TYPE, in, 7, MPI_INT, 0, comm);
  MOVED(Scatter, is_root ? (size - 1) * 7 * kInt : 0, is_root ? 0 : 7 * kInt);
  if (is_root) CALL(Scatterv, out, sevens, offsets, MPI_INT, MPI_IN_PLACE, kBad, NO_TYPE, 0, comm);
  if (!is_root) CALL(Scatterv, NULL, NULL, NULL, NO_TYPE, in, 7, MPI_INT, 0, comm);
  MOVED(Scatterv, is_root ? (size - 1) * 7 * kInt : 0, is_root ? 0 : 7 * kInt);
  const long others = (size - 1) * 7 * kInt, given = size > 1 ? 7 * kInt : 0;
  CALL(Allgather, MPI_IN_PLACE, kBad, NO_TYPE, in, 7, MPI_INT, comm), MOVED(Allgather, given, others);
  CALL(Allgatherv, MPI_IN_PLACE, kBad, NO_TYPE, in, sevens, offsets, MPI_INT, comm);
  MOVED(Allgatherv, given, others);
  CALL(Alltoall, MPI_IN_PLACE, kBad, NO_TYPE, in, 7, MPI_INT, comm), MOVED(Alltoall, others, others);
  CALL(Alltoallv, MPI_IN_PLACE, NULL, NULL, NO_TYPE, in, sevens, offsets, MPI_INT, comm);
  MOVED(Alltoallv, others, others);
  MPI_Datatype types[kMany];
  for (int i = 0; i < size; ++i) types[i] = MPI_INT;
  CALL(Alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in, sevens, offsets, types, comm), MOVED(Alltoallw, others, others);
  MPI_Request request;
  CALL(Iallgather, MPI_IN_PLACE, kBad, NO_TYPE, in, 7, MPI_INT, comm, &request);
  MOVED(Iallgather, given, others);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Ialltoall, MPI_IN_PLACE, kBad, NO_TYPE, in, 7, MPI_INT, comm, &request), MOVED(Ialltoall, others, others);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

// Between groups: the processes beside the root on its side; and the root's other buffer.
static void BetweenGroups(void) {
  if (size < 3) return;
  const int side = rank % 2, mine = side == 0 ? (size + 1) / 2 : size / 2, theirs = size - mine;
  MPI_Comm half, between;
  CALL(Comm_split, MPI_COMM_WORLD, side, rank, &half);
  CALL(Intercomm_create, half, 0, rank < 2 ? MPI_COMM_WORLD : MPI_COMM_NULL, rank < 2 ? 1 - side : kBad, 3, &between);
  const int is_root = rank == 0, is_idle = side == 0 && !is_root;
  const int root = is_root ? MPI_ROOT : is_idle ? MPI_PROC_NULL : 0;
  const int n = is_idle ? kBad : 7;
  const MPI_Datatype type = is_idle ? NO_TYPE : MPI_INT;
  const long all = theirs * 7 * kInt, own = 7 * kInt;
  // These two are checked by both MPIs.
  CALL(Bcast, in, 7, MPI_INT, root, between), MOVED(Bcast, is_root ? own : 0, side == 1 ? own : 0);
  CALL(Gather, is_root ? NULL : out, is_root ? kBad : n, is_root ? NO_TYPE : type, is_root ? in : NULL,
       is_root ? 7 : kBad, is_root ? MPI_INT : NO_TYPE, root, between);
  MOVED(Gather, side == 1 ? own : 0, is_root ? all : 0);
  CALL(Scatter, is_root ? out : NULL, is_root ? 7 : kBad, is_root ? MPI_INT : NO_TYPE, is_root ? NULL : in,
       is_root ? kBad : n, is_root ? NO_TYPE : type, root, between);
  MOVED(Scatter, is_root ? all : 0, side == 1 ? own : 0);
  CALL(Reduce, out, in, 7, MPI_INT, MPI_SUM, root, between);
  MOVED(Reduce, side == 1 ? own : 0, is_root ? own : 0);
  CALL(Comm_free, &between);
  CALL(Comm_free, &half);
}

// No elements: in MPI_Alltoallw, their types may be null.
static void NoElements(MPI_Comm comm) {
  static int counts[kMany];
  MPI_Datatype types[kMany];
  for (int i = 0; i < size; ++i) types[i] = (counts[i] = i == rank ? 3 : 0) != 0 ? MPI_INT : TYPE_OF_NONE;
  CALL(Alltoallw, out, counts, offsets, types, in, counts, offsets, types, comm);
  MOVED(Alltoallw, 3 * kInt, 3 * kInt);
}

// Missing neighbours, and a process without neighbours.
static void Neighbours(void) {
  const int one = size, open = 0;
  MPI_Comm line, alone;
  CALL(Cart_create, MPI_COMM_WORLD, 1, &one, &open, 0, &line);
  const int there = (rank > 0) + (rank < size - 1);
  const int counts[2] = {rank > 0 ? 3 : 0, rank < size - 1 ? 3 : 0};
  CALL(Neighbor_alltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, line);
  MOVED(Neighbor_alltoallv, there * 3 * kInt, there * 3 * kInt);
  CALL(Dist_graph_create_adjacent, MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
       &alone);
  CALL(Neighbor_allgather, out, 3, MPI_INT, in, 3, MPI_INT, alone), MOVED(Neighbor_allgather, 0, 0);
  CALL(Neighbor_alltoallw, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, alone), MOVED(Neighbor_alltoallw, 0, 0);
  CALL(Comm_free, &line);
  CALL(Comm_free, &alone);
}

// Messages to and from no process; null requests; statuses of null operations.
static void Nobody(MPI_Comm comm) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int flag, index;
  CALL(Send, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, comm);
  CALL(Recv, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  CALL(Isend, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, comm, &requests[0]);
  CALL(Irecv, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, comm, &requests[1]);
  CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  CALL(Send_init, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, comm, &requests[0]);
  CALL(Recv_init, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, comm, &requests[1]);
  CALL(Startall, 2, requests);
  CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  CALL(Request_free, &requests[0]);
  CALL(Request_free, &requests[1]);
  CALL(Waitall, 0, NULL, MPI_STATUSES_IGNORE);
  CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  CALL(Testall, 0, NULL, &flag, MPI_STATUSES_IGNORE);
  CALL(Waitany, 0, NULL, &index, MPI_STATUS_IGNORE);
}

// One-sided operations that change nothing ignore the data to store, and operations on no process ignore everything.
static void OneSided(MPI_Comm comm) {
  int* memory;
  MPI_Win window;
  MPI_Request request;
  const int to = (rank + 1) % size;
  CALL(Win_allocate, kMany * kInt, kInt, MPI_INFO_NULL, comm, &memory, &window);
  CALL(Win_lock_all, 0, window);
  CALL(Get_accumulate, NULL, 3, NO_TYPE, in, 7, MPI_INT, to, 0, 7, MPI_INT, MPI_NO_OP, window);
  Did("MPI_Get_accumulate", "got", 7 * kInt);
  CALL(Rget_accumulate, NULL, 3, NO_TYPE, in, 7, MPI_INT, to, 0, 7, MPI_INT, MPI_NO_OP, window, &request);
  Did("MPI_Rget_accumulate", "got", 7 * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Fetch_and_op, NULL, in, MPI_INT, to, 0, MPI_NO_OP, window), Did("MPI_Fetch_and_op", "got", kInt);
  CALL(Put, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, window);
  CALL(Get, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, window);
  CALL(Accumulate, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, MPI_SUM, window);
  CALL(Get_accumulate, NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, MPI_NO_OP, window);
  CALL(Fetch_and_op, out, in, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, window);
  CALL(Compare_and_swap, out, out, in, MPI_INT, MPI_PROC_NULL, 0, window);
  CALL(Win_flush_all, window);
  CALL(Win_unlock_all, window);
  CALL(Win_free, &window);
}

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  for (int i = 0; i < kMany; ++i) {
    sevens[i] = 7;
    offsets[i] = 7 * i;
  }
  Roots(MPI_COMM_WORLD);
  InPlace(MPI_COMM_WORLD);
  BetweenGroups();
  NoElements(MPI_COMM_WORLD);
  Neighbours();
  Nobody(MPI_COMM_WORLD);
  OneSided(MPI_COMM_WORLD);
  CALL(Finalize);
  WriteCounts(rank);
  if (rank == 0) printf("nothing was looked at\n");
  return 0;
}
