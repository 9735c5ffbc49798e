// SPDX-License-Identifier: BSD-3-Clause
// Additions of MPI 4, as far as this MPI has them: persistent collectives, partitioned messages, sends and receives in
// one. And sends that are cancelled, and receives that are given up.
#include "persistent.h"

static int rank, size, next, before;
enum { kInt = sizeof(int), kTimes = 3 };

#ifdef HAS_COLLECTIVES
// Starts it alone and with others.
static void Collectives(void) {
  int in[64], out[64];
  MPI_Request requests[3];
  INIT(Allreduce, out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  INIT(Bcast, out, 7, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  INIT(Barrier, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  memset(out, 0, sizeof out);
  for (int i = 0; i < kTimes; ++i) {
    CALL(Start, &requests[0]), MOVED(Start, 5 * kInt, 5 * kInt);
    CALL(Wait, &requests[0], MPI_STATUS_IGNORE);
    CALL(Startall, 2, requests + 1), MOVED(Startall, rank == size - 1 ? 7 * kInt : 0, rank == size - 1 ? 0 : 7 * kInt);
    CALL(Waitall, 2, requests + 1, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i) CALL(Request_free, &requests[i]);
}
#else
static void Collectives(void) {}
#endif

#if MPI_VERSION >= 4
static void Partitioned(void) {
  enum { kParts = 4, kEach = 3 };
  int out[kParts * kEach] = {0}, in[kParts * kEach];
  MPI_Request requests[2];
  CALL(Precv_init, in, kParts, kEach, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  CALL(Psend_init, out, kParts, kEach, MPI_INT, next, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < kTimes; ++i) {
    CALL(Startall, 2, requests), SENT(Startall, kParts * kEach * kInt);
    for (int part = 0; part < kParts; ++part) CALL(Pready, part, requests[1]);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE), GOT(Waitall, kParts * kEach * kInt);
  }
  CALL(Request_free, &requests[0]);
  CALL(Request_free, &requests[1]);
}

// MPICH 4.0 leaves the status of an earlier request in such a request: nobody knows how much has arrived.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
enum { kBoth = 0 };
#else
enum { kBoth = 4 };
#endif
static void Both(void) {
  int out[4] = {rank}, in[4];
  MPI_Request request;
  CALL(Irecv, in, 3, MPI_INT, before, 6, MPI_COMM_WORLD, &request);
  CALL(Send, out, 3, MPI_INT, next, 6, MPI_COMM_WORLD), SENT(Send, 3 * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, 3 * kInt);
  CALL(Isendrecv, out, kBoth, MPI_INT, next, 2, in, 4, MPI_INT, before, 2, MPI_COMM_WORLD, &request);
  SENT(Isendrecv, kBoth * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, kBoth * kInt);
  CALL(Isendrecv_replace, in, kBoth, MPI_INT, next, 3, before, 3, MPI_COMM_WORLD, &request);
  SENT(Isendrecv_replace, kBoth * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, kBoth * kInt);
}
#else
static void Partitioned(void) {}
static void Both(void) {}
#endif

// The message is received only if it cannot be cancelled: then it is a send.
static void Cancelled(int persistent) {
  int out[10] = {0}, in[10];
  MPI_Request request, barrier;
  MPI_Status status;
  int done = 0, all_done = 0, cancelled = 0, theirs = 0;
  if (persistent) {
    CALL(Ssend_init, out, 10, MPI_INT, next, 4, MPI_COMM_WORLD, &request);
    CALL(Start, &request);
  } else {
    CALL(Issend, out, 10, MPI_INT, next, 4, MPI_COMM_WORLD, &request);
  }
  CALL(Cancel, &request);
  // Cancelling needs progress at both ends; and the send must complete if cancelling has no effect.
  CALL(Ibarrier, MPI_COMM_WORLD, &barrier);
  for (int i = 0; i < 2000 && !(done && all_done); ++i) {
    if (!done) CALL(Test, &request, &done, &status);
    if (!all_done) CALL(Test, &barrier, &all_done, MPI_STATUS_IGNORE);
  }
  if (!all_done) CALL(Wait, &barrier, MPI_STATUS_IGNORE);
  if (done) CALL(Test_cancelled, &status, &cancelled);
  CALL(Sendrecv, &cancelled, 1, MPI_INT, next, 5, &theirs, 1, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SENT(Sendrecv, kInt), GOT(Sendrecv, kInt);
  if (!theirs) CALL(Recv, in, 10, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), GOT(Recv, 10 * kInt);
  if (!done) CALL(Wait, &request, &status);
  if (!cancelled && persistent) SENT(Start, 10 * kInt);
  if (!cancelled && !persistent) SENT(Issend, 10 * kInt);
  if (persistent) CALL(Request_free, &request);
  if (rank == 0 && getenv("TELL") != NULL) fprintf(stderr, "cancelled: %d\n", cancelled);
}

// The message has arrived when its request is freed. The program knows that, because the other end has told it.
static void GivenUp(void) {
  int out = 1, in = 0, ready = 0;
  MPI_Request request;
  CALL(Irecv, &in, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &request);
  CALL(Ssend, &out, 1, MPI_INT, next, 6, MPI_COMM_WORLD), SENT(Ssend, kInt);
  CALL(Barrier, MPI_COMM_WORLD);
  while (!ready) CALL(Request_get_status, request, &ready, MPI_STATUS_IGNORE);
  CALL(Request_free, &request), GOT(Request_free, kInt);
}

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  Collectives();
  Partitioned();
  Both();
  Cancelled(0);
  Cancelled(1);
  GivenUp();
  CALL(Finalize);
  WriteCounts(rank);
  if (rank == 0) printf("done\n");
  return 0;
}
