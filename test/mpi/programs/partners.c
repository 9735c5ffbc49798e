// SPDX-License-Identifier: BSD-3-Clause
// Waiting patterns for the analysis of traces: collectives that bring data from some processes only, receives
// that complete in another order than they were posted, probes, locks of both kinds, files. The program tells what it
// knows: FROM gets the sum of (source + 1), PROBED the bytes of a probed message, LOCKED 1 for exclusive.
#include "persistent.h"

enum { kInt = sizeof(int), kMany = 64 };
#define FROM(name, sources) Did("MPI_" #name, "from", sources)
#define PROBED(name, bytes) Did("MPI_" #name, "probed", bytes)
#define LOCKED(name, exclusive) Did("MPI_" #name, "locked", exclusive)

static int rank, size, next, before;
static int out[kMany], in[kMany], offsets[kMany];

// Each rank sends to the ranks below its own: the first gets data from all others, the last from nobody.
static void Sparse(MPI_Comm comm) {
  int sent[kMany], received[kMany];
  MPI_Datatype types[kMany];
  long sources = 0;
  int me;
  CALL(Comm_rank, comm, &me);
  for (int i = 0; i < size; ++i) {
    sent[i] = i < me;
    received[i] = i > me;
    types[i] = MPI_INT;
    // `comm` has the ranks in reverse.
    if (received[i]) sources += size - 1 - i + 1;
  }
  MPI_Request request;
  CALL(Alltoallv, out, sent, offsets, MPI_INT, in, received, offsets, MPI_INT, comm);
  MOVED(Alltoallv, me * kInt, (size - 1 - me) * kInt);
  if (sources) FROM(Alltoallv, sources);
  CALL(Ialltoallw, out, sent, offsets, types, in, received, offsets, types, comm, &request);
  MOVED(Ialltoallw, me * kInt, (size - 1 - me) * kInt);
  if (sources) FROM(Ialltoallw, sources);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

#ifdef HAS_COLLECTIVES
// Each start brings data from the same processes: from the higher ranks, and from the neighbours in a row.
static void Persistent(MPI_Comm comm) {
  enum { kTimes = 2 };
  static int sent[kMany], received[kMany];
  const int one = size, open = 0, higher = size - 1 - rank, there = (rank > 0) + (rank < size - 1);
  long above = 0;
  for (int i = 0; i < size; ++i) {
    sent[i] = i < rank;
    received[i] = i > rank;
    if (received[i]) above += i + 1;
  }
  MPI_Comm line;
  MPI_Request requests[2];
  CALL(Cart_create, comm, 1, &one, &open, 0, &line);
  INIT(Alltoallv, out, sent, offsets, MPI_INT, in, received, offsets, MPI_INT, comm, MPI_INFO_NULL, &requests[0]);
  INIT(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, line, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < kTimes; ++i) {
    CALL(Start, &requests[0]), MOVED(Start, rank * kInt, higher * kInt);
    if (above) INIT_FROM(Alltoallv, above);
    CALL(Wait, &requests[0], MPI_STATUS_IGNORE);
    CALL(Start, &requests[1]), MOVED(Start, there ? kInt : 0, there * kInt);
    if (there) INIT_FROM(Neighbor_allgather, (rank > 0 ? rank : 0) + (rank < size - 1 ? rank + 2 : 0));
    CALL(Wait, &requests[1], MPI_STATUS_IGNORE);
  }
  CALL(Request_free, &requests[0]);
  CALL(Request_free, &requests[1]);
  CALL(Comm_free, &line);
}
#else
static void Persistent(MPI_Comm comm) { (void)comm; }
#endif

// Two non-blocking operations that end in the reverse order.
static void Crossed(MPI_Comm comm) {
  MPI_Request first, second;
  CALL(Ibarrier, comm, &first);
  CALL(Iallreduce, out, in, 1, MPI_INT, MPI_SUM, comm, &second), MOVED(Iallreduce, kInt, kInt);
  CALL(Wait, &second, MPI_STATUS_IGNORE);
  CALL(Wait, &first, MPI_STATUS_IGNORE);
  MPI_Request receives[2];
  CALL(Irecv, in, kMany, MPI_INT, before, 5, comm, &receives[0]);
  CALL(Irecv, in + 8, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &receives[1]);
  CALL(Send, out, 3, MPI_INT, next, 5, comm), SENT(Send, 3 * kInt);
  CALL(Send, out, 4, MPI_INT, next, 5, comm), SENT(Send, 4 * kInt);
  CALL(Wait, &receives[1], MPI_STATUS_IGNORE), GOT(Wait, 4 * kInt);
  CALL(Wait, &receives[0], MPI_STATUS_IGNORE), GOT(Wait, 3 * kInt);
}

static void Neighbours(MPI_Comm comm) {
  const int open = 0, closed = 1, one = size;
  MPI_Comm line, ring, star;
  CALL(Cart_create, comm, 1, &one, &open, 0, &line);
  CALL(Cart_create, comm, 1, &one, &closed, 0, &ring);
  const int there = (rank > 0) + (rank < size - 1);
  const long left = rank > 0 ? rank - 1 + 1 : 0, right = rank < size - 1 ? rank + 1 + 1 : 0;
  CALL(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, line);
  MOVED(Neighbor_allgather, there ? kInt : 0, there * kInt);
  if (there) FROM(Neighbor_allgather, left + right);
  MPI_Request request;
  CALL(Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
  MOVED(Ineighbor_alltoall, 2 * kInt, 2 * kInt), FROM(Ineighbor_alltoall, before + 1 + next + 1);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  // Every process sends to the last.
  int sources[kMany], destination = size - 1;
  for (int i = 0; i < size; ++i) sources[i] = i;
  const int is_last = rank == size - 1;
  CALL(Dist_graph_create_adjacent, comm, is_last ? size : 0, sources, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED,
       MPI_INFO_NULL, 0, &star);
  CALL(Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, star),
      MOVED(Neighbor_alltoall, kInt, is_last ? size * kInt : 0);
  if (is_last) FROM(Neighbor_alltoall, size * (size + 1) / 2);
  CALL(Comm_free, &line);
  CALL(Comm_free, &ring);
  CALL(Comm_free, &star);
}

static void Probes(MPI_Comm comm) {
  MPI_Message message;
  MPI_Status status;
  MPI_Request sends[2];
  CALL(Isend, out, 2, MPI_INT, next, 7, comm, &sends[0]), SENT(Isend, 2 * kInt);
  CALL(Isend, out, 3, MPI_INT, next, 8, comm, &sends[1]), SENT(Isend, 3 * kInt);
  CALL(Probe, MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE), PROBED(Probe, 2 * kInt);
  CALL(Mprobe, before, MPI_ANY_TAG, comm, &message, &status), PROBED(Mprobe, 2 * kInt);
  CALL(Mrecv, in, kMany, MPI_INT, &message, MPI_STATUS_IGNORE), GOT(Mrecv, 2 * kInt);
  CALL(Probe, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  CALL(Recv, in, kMany, MPI_INT, before, 8, comm, MPI_STATUS_IGNORE), GOT(Recv, 3 * kInt);
  CALL(Waitall, 2, sends, MPI_STATUSES_IGNORE);
}

static void LocksAndFiles(MPI_Comm comm) {
  MPI_Win window;
  MPI_File file;
  int* memory;
  CALL(Win_allocate, kMany * kInt, kInt, MPI_INFO_NULL, comm, &memory, &window);
  CALL(Win_lock, MPI_LOCK_EXCLUSIVE, next, 0, window), LOCKED(Win_lock, 1);
  CALL(Win_unlock, next, window);
  CALL(Win_lock, MPI_LOCK_SHARED, next, 0, window), LOCKED(Win_lock, 0);
  CALL(Win_unlock, next, window);
  CALL(Win_lock_all, 0, window), LOCKED(Win_lock_all, 0);
  CALL(Win_unlock_all, window);
  CALL(Win_free, &window);
  const char* folder = getenv("COUNT_FOLDER");
  char path[4096];
  snprintf(path, sizeof path, "%s/../partners.data", folder == NULL ? "." : folder);
  CALL(File_open, comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CALL(File_set_size, file, 0);
  CALL(File_write_at_all, file, rank * kInt, out, 1, MPI_INT, MPI_STATUS_IGNORE);
  Did("MPI_File_write_at_all", "written", kInt);
  CALL(File_sync, file);
  CALL(File_close, &file);
}

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  MPI_Comm reversed;
  CALL(Comm_split, MPI_COMM_WORLD, 0, -rank, &reversed);
  Sparse(reversed);
  Crossed(MPI_COMM_WORLD);
  Neighbours(MPI_COMM_WORLD);
  Persistent(MPI_COMM_WORLD);
  Probes(MPI_COMM_WORLD);
  LocksAndFiles(reversed);
  CALL(Comm_free, &reversed);
  CALL(Finalize);
  WriteCounts(rank);
  return 0;
}
