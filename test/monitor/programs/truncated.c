// SPDX-License-Identifier: BSD-3-Clause
// Sends, receives and collective operations that fail, each before one of the same channel or communicator that waits:
// truncated ROUNDS MICROSECONDS [good]. Needs 2 ranks. The second message of each pair is late. "good": MPI also
// refuses sends that look good, because they have no buffer, or because the program has not committed their type.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, rounds, looks_good;
static double late;
static int in[16], out[16];
static MPI_Status status, statuses[2];

static void Late(void) {
  const struct timespec pause = {0, (long)(late * 1e9)};
  nanosleep(&pause, NULL);
}

static void Expect(const char* what, int is, int should) {
  if (is == should) return;
  fprintf(stderr, "%s: %d instead of %d\n", what, is, should);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int ClassOf(int error) {
  int of = MPI_SUCCESS;
  MPI_Error_class(error, &of);
  return of;
}

static void ExpectTruncated(const char* what, int error) { Expect(what, ClassOf(error), MPI_ERR_TRUNCATE); }

// Each kind of receive gets a message that is too long for it.
static void Recv(void) { ExpectTruncated("Recv", MPI_Recv(in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &status)); }
static void RecvAny(void) {
  ExpectTruncated("RecvAny", MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}
static void Sendrecv(void) {
  ExpectTruncated("Sendrecv", MPI_Sendrecv(out, 1, MPI_INT, 1, 7, in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &status));
  Expect("Sendrecv", MPI_Recv(in, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &status), MPI_SUCCESS);
}
static void Mrecv(void) {
  MPI_Message message;
  MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
  ExpectTruncated("Mrecv", MPI_Mrecv(in, 2, MPI_INT, &message, &status));
}
static void Wait(void) {
  MPI_Request request;
  MPI_Irecv(in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  ExpectTruncated("Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
}
static void WaitPersistent(void) {
  MPI_Request request;
  MPI_Recv_init(in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  ExpectTruncated("WaitPersistent", MPI_Wait(&request, &status));
  MPI_Request_free(&request);
}
static void Waitall(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
  Expect("Waitall", ClassOf(MPI_Waitall(2, requests, statuses)), MPI_ERR_IN_STATUS);
}
static void Waitany(void) {
  MPI_Request request;
  int place;
  MPI_Irecv(in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  ExpectTruncated("Waitany", MPI_Waitany(1, &request, &place, &status));
}
static void Waitsome(void) {
  MPI_Request request;
  int place, count;
  MPI_Irecv(in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  Expect("Waitsome", ClassOf(MPI_Waitsome(1, &request, &count, &place, MPI_STATUSES_IGNORE)), MPI_ERR_IN_STATUS);
}
static void Test(void) {
  MPI_Request request;
  int done = 0, error = MPI_SUCCESS;
  MPI_Irecv(in, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  while (!done && error == MPI_SUCCESS) error = MPI_Test(&request, &done, &status);
  ExpectTruncated("Test", error);
}
// MPI refuses all of these, so they are no receives.
static void Refused(void) {
  if (MPI_Recv(in, -1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status) == MPI_SUCCESS) Expect("Refused", 0, 1);
  Expect("Refused", MPI_Recv(in, 16, MPI_INT, 0, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
}
// Nor does a receive that was cancelled get anything.
static void Cancelled(void) {
  MPI_Request requests[2];
  int is_cancelled = 0;
  MPI_Irecv(in, 16, MPI_INT, 0, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &is_cancelled);
  Expect("Cancelled", is_cancelled, 1);
  Expect("Cancelled", MPI_Recv(in, 16, MPI_INT, 0, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
}

static void Good(int tag) {
  MPI_Send(out, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  Expect("Good", MPI_Recv(in, 16, MPI_INT, 0, tag, MPI_COMM_WORLD, &status), MPI_SUCCESS);
}

// MPI refuses these sends, too, and nobody gets a message.
static void RefusedSends(void) {
  MPI_Request request;
  if (MPI_Send(out, 1, MPI_INT, 77, 1, MPI_COMM_WORLD) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (MPI_Send(out, -1, MPI_INT, 1, 1, MPI_COMM_WORLD) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (MPI_Isend(out, 1, MPI_INT, 77, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (!looks_good) return;
  if (MPI_Send(NULL, 1, MPI_INT, 1, 1, MPI_COMM_WORLD) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (MPI_Isend(NULL, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (MPI_Sendrecv(NULL, 1, MPI_INT, 1, 1, in, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &status) == MPI_SUCCESS)
    Expect("RefusedSends", 0, 1);
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_INT, &type);
  if (MPI_Send(out, 1, type, 1, 1, MPI_COMM_WORLD) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (MPI_Isend(out, 1, type, 1, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS) Expect("RefusedSends", 0, 1);
  if (MPI_Sendrecv(out, 1, type, 1, 1, in, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &status) == MPI_SUCCESS)
    Expect("RefusedSends", 0, 1);
  MPI_Type_free(&type);
}

static void (*const kinds[])(void) = {Recv,    RecvAny, Sendrecv, Mrecv, Wait,    WaitPersistent,
                                      Waitall, Waitany, Waitsome, Test,  Refused, Cancelled};
enum { kKinds = sizeof kinds / sizeof *kinds };

static void Messages(void) {
  for (int i = 0; i < kKinds; ++i) {
    if (rank == 1) {
      MPI_Barrier(MPI_COMM_WORLD);
      kinds[i]();
      Good(1);
      Good(9);
      continue;
    }
    RefusedSends();
    MPI_Send(out, 16, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 2; ++k) {
      MPI_Recv(in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &status);
      Late();
      MPI_Send(out, 16, MPI_INT, 1, k == 0 ? 1 : 9, MPI_COMM_WORLD);
    }
  }
}

// Only one rank gets an error, and tries again.
static void Collectives(void) {
  MPI_Request request;
  if (rank == 1 && MPI_Bcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS) Expect("Bcast", 0, 1);
  if (rank == 1 && MPI_Ibcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS) Expect("Ibcast", 0, 1);
  if (rank == 1 && MPI_Reduce(in, out, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
    Expect("Reduce", 0, 1);
  if (rank == 0) Late();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) Late();
  MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

// These fail at one rank, after MPI has begun them: data came that was too long.
static void TruncatedCollectives(void) {
  const int error = MPI_Bcast(in, rank == 0 ? 16 : 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) ExpectTruncated("TruncatedBcast", error);
  if (rank == 1) Late();
  const int gathered = MPI_Gather(out, rank == 0 ? 1 : 16, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) ExpectTruncated("TruncatedGather", gathered);
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atoi(argv[1]) : 3;
  late = argc > 2 ? atof(argv[2]) * 1e-6 : 1e-3;
  looks_good = argc > 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < rounds; ++i) {
    Messages();
    Collectives();
    TruncatedCollectives();
  }
  // The last one of the run fails everywhere.
  if (MPI_Bcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS) Expect("Bcast", 0, 1);
  MPI_Finalize();
  return 0;
}
