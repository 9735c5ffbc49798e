// SPDX-License-Identifier: BSD-3-Clause
// Every way to send and receive, around a ring of any number of processes.
#include "count.h"

static int rank, size, next, before;
static MPI_Comm comm;
static char out[4096], in[4096];
enum { kInt = sizeof(int) };

static void Say(const char* what, int value) {
  if (rank == 0) printf("%s: %d\n", what, value);
}

// ---- Blocking -------------------------------------------------------------------------------------------------------

static void Blocking(void) {
  MPI_Status status;
  MPI_Request request;
  const int n = 10 + rank;  // another length for each
  const int m = 10 + before;
  CALL(Irecv, in, 1000, MPI_INT, before, 1, comm, &request);
  CALL(Send, out, n, MPI_INT, next, 1, comm), SENT(Send, n * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, m * kInt);
  CALL(Irecv, in, 1000, MPI_INT, MPI_ANY_SOURCE, 2, comm, &request);
  CALL(Ssend, out, 0, MPI_INT, next, 2, comm), SENT(Ssend, 0);
  CALL(Wait, &request, &status), GOT(Wait, 0);
  CALL(Irecv, in, 1000, MPI_INT, before, 3, comm, &request);
  CALL(Barrier, comm);
  CALL(Rsend, out, 2, MPI_INT, next, 3, comm), SENT(Rsend, 2 * kInt);
  CALL(Wait, &request, &status), GOT(Wait, 2 * kInt);
  char* buffer = malloc(1000 + MPI_BSEND_OVERHEAD);
  int bytes;
  CALL(Buffer_attach, buffer, 1000 + MPI_BSEND_OVERHEAD);
  CALL(Bsend, out, 5, MPI_INT, next, 4, comm), SENT(Bsend, 5 * kInt);
  CALL(Recv, in, 1000, MPI_INT, before, 4, comm, MPI_STATUS_IGNORE), GOT(Recv, 5 * kInt);
  CALL(Buffer_detach, &buffer, &bytes);
  free(buffer);
  CALL(Sendrecv, out, n, MPI_INT, next, 5, in, 1000, MPI_INT, before, 5, comm, MPI_STATUS_IGNORE);
  SENT(Sendrecv, n * kInt), GOT(Sendrecv, m * kInt);
  CALL(Sendrecv_replace, in, 7, MPI_INT, next, 6, before, 6, comm, &status);
  SENT(Sendrecv_replace, 7 * kInt), GOT(Sendrecv_replace, 7 * kInt);
}

static void Nobody(void) {
  MPI_Request request;
  MPI_Status status;
  CALL(Send, out, 3, MPI_INT, MPI_PROC_NULL, 1, comm);
  CALL(Recv, in, 3, MPI_INT, MPI_PROC_NULL, 1, comm, &status);
  for (int i = 0; i < 3; ++i) {
    CALL(Irecv, in, 3, MPI_INT, MPI_PROC_NULL, 1, comm, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
  }
  CALL(Sendrecv, out, 1, MPI_INT, MPI_PROC_NULL, 1, in, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &status);
}

static void Probed(void) {
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  int bytes, flag = 0;
  CALL(Isend, out, 11, MPI_CHAR, next, 1, comm, &request), SENT(Isend, 11);
  CALL(Probe, before, 1, comm, &status);
  CALL(Get_count, &status, MPI_CHAR, &bytes);
  CALL(Recv, in, bytes, MPI_CHAR, before, 1, comm, &status), GOT(Recv, 11);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Isend, out, 12, MPI_CHAR, next, 2, comm, &request), SENT(Isend, 12);
  CALL(Mprobe, before, 2, comm, &message, &status);
  CALL(Mrecv, in, 1000, MPI_CHAR, &message, MPI_STATUS_IGNORE), GOT(Mrecv, 12);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Isend, out, 13, MPI_CHAR, next, 3, comm, &request), SENT(Isend, 13);
  while (!flag) CALL(Improbe, before, 3, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Request received;
  CALL(Imrecv, in, 1000, MPI_CHAR, &message, &received);
  CALL(Wait, &received, MPI_STATUS_IGNORE), GOT(Wait, 13);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

// ---- Requests -------------------------------------------------------------------------------------------------------

enum { kMany = 20 };
static MPI_Request requests[2 * kMany];

// Receives first, then sends; message i has i bytes.
static void PostMany(int tag) {
  for (int i = 0; i < kMany; ++i) CALL(Irecv, in + 100 * i, 100, MPI_CHAR, before, tag + i, comm, &requests[i]);
  for (int i = 0; i < kMany; ++i) {
    CALL(Isend, out, i, MPI_CHAR, next, tag + i, comm, &requests[kMany + i]), SENT(Isend, i);
  }
}

static void Requests(void) {
  MPI_Status statuses[2 * kMany];
  int indices[2 * kMany], index, flag, done, left;
  PostMany(100);
  CALL(Waitall, 2 * kMany, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kMany; ++i) GOT(Waitall, i);
  PostMany(200);
  CALL(Waitall, 2 * kMany, requests, statuses);
  for (int i = 0; i < kMany; ++i) GOT(Waitall, i);
  PostMany(300);
  for (int i = 0; i < 2 * kMany; ++i) {
    CALL(Waitany, 2 * kMany, requests, &index, i % 2 ? MPI_STATUS_IGNORE : &statuses[0]);
    if (index < kMany) GOT(Waitany, index);
  }
  PostMany(400);
  for (left = 2 * kMany; left > 0; left -= done) {
    CALL(Waitsome, 2 * kMany, requests, &done, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < done; ++i) {
      if (indices[i] < kMany) GOT(Waitsome, indices[i]);
    }
  }
  PostMany(500);
  for (left = 2 * kMany; left > 0; left -= done) {
    CALL(Testsome, 2 * kMany, requests, &done, indices, statuses);
    for (int i = 0; i < done; ++i) {
      if (indices[i] < kMany) GOT(Testsome, indices[i]);
    }
  }
  PostMany(600);
  for (left = 2 * kMany; left > 0; left -= flag) {
    CALL(Testany, 2 * kMany, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (flag && index < kMany) GOT(Testany, index);
  }
  PostMany(700);
  for (flag = 0; !flag;) CALL(Testall, 2 * kMany, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kMany; ++i) GOT(Testall, i);
  PostMany(800);
  for (int i = 0; i < 2 * kMany; ++i) {
    for (flag = 0; !flag;) CALL(Request_get_status, requests[i], &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) CALL(Test, &requests[i], &flag, MPI_STATUS_IGNORE);
    if (i < kMany) GOT(Test, i);
  }
  CALL(Waitany, 2 * kMany, requests, &index, MPI_STATUS_IGNORE);  // none is left
}

static void Persistent(void) {
  MPI_Request pair[2];
  CALL(Recv_init, in, 1000, MPI_INT, before, 1, comm, &pair[0]);
  CALL(Ssend_init, out, 6, MPI_INT, next, 1, comm, &pair[1]);
  for (int i = 0; i < 3; ++i) {
    CALL(Startall, 2, pair), SENT(Startall, 6 * kInt);
    CALL(Waitall, 2, pair, MPI_STATUSES_IGNORE), GOT(Waitall, 6 * kInt);
  }
  CALL(Start, &pair[0]);
  CALL(Start, &pair[1]), SENT(Start, 6 * kInt);
  CALL(Wait, &pair[0], MPI_STATUS_IGNORE), GOT(Wait, 6 * kInt);
  CALL(Wait, &pair[1], MPI_STATUS_IGNORE);
  CALL(Wait, &pair[0], MPI_STATUS_IGNORE);  // rests: nothing came
  CALL(Request_free, &pair[0]);
  CALL(Request_free, &pair[1]);
}

static void CancelledAndFreed(void) {
  MPI_Request request;
  MPI_Status status;
  int cancelled;
  CALL(Irecv, in, 10, MPI_INT, before, 99, comm, &request);
  CALL(Cancel, &request);
  CALL(Wait, &request, &status);
  CALL(Test_cancelled, &status, &cancelled);
  if (!cancelled) Say("not cancelled", 1);
  // The program never asks for this request again.
  CALL(Isend, out, 9, MPI_INT, next, 1, comm, &request), SENT(Isend, 9 * kInt);
  CALL(Request_free, &request);
  CALL(Recv, in, 9, MPI_INT, before, 1, comm, MPI_STATUS_IGNORE), GOT(Recv, 9 * kInt);
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

static int handled;
static void Handle(MPI_Comm* given, int* code, ...) {
  int class;
  MPI_Error_class(*code, &class);
  handled += given != NULL && class == MPI_ERR_TRUNCATE;
}

// Messages that are longer than the receiver expects are no receives; sending to nowhere is no send.
static void Errors(void) {
  MPI_Errhandler handler;
  MPI_Request request;
  int error, class = 0;
  CALL(Comm_set_errhandler, comm, MPI_ERRORS_RETURN);
  CALL(Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CALL(Isend, out, 50, MPI_INT, next, 1, comm, &request), SENT(Isend, 50 * kInt);
  error = CALL(Recv, in, 10, MPI_INT, before, 1, comm, MPI_STATUS_IGNORE);
  MPI_Error_class(error, &class), Did("MPI_Error_class", "visits", 0);
  Say("truncated", class == MPI_ERR_TRUNCATE);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  error = CALL(Send, out, 1, MPI_INT, size + 7, 1, comm);
  Say("no such rank", error != MPI_SUCCESS);
  CALL(Isend, out, 50, MPI_INT, next, 2, comm, &request), SENT(Isend, 50 * kInt);
  MPI_Request two[2];
  CALL(Irecv, in, 10, MPI_INT, before, 2, comm, &two[0]);
  CALL(Irecv, in + 2000, 10, MPI_INT, next, 3, comm, &two[1]);
  CALL(Send, out, 4, MPI_INT, before, 3, comm), SENT(Send, 4 * kInt);
  error = CALL(Waitall, 2, two, MPI_STATUSES_IGNORE);
  Say("in a list", error);
  // Then Open MPI and MPICH treat the other request differently.
  if (two[1] != MPI_REQUEST_NULL)
    CALL(Wait, &two[1], MPI_STATUS_IGNORE), GOT(Wait, 4 * kInt);
  else
    GOT(Waitall, 4 * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Comm_create_errhandler, Handle, &handler);
  CALL(Comm_set_errhandler, comm, handler);
  CALL(Isend, out, 50, MPI_INT, next, 4, comm, &request), SENT(Isend, 50 * kInt);
  CALL(Recv, in, 10, MPI_INT, before, 4, comm, MPI_STATUS_IGNORE);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  Say("handled", handled);
  CALL(Comm_set_errhandler, comm, MPI_ERRORS_ARE_FATAL);
  CALL(Errhandler_free, &handler);
}

// ---- Communicators --------------------------------------------------------------------------------------------------

static void OtherCommunicators(void) {
  MPI_Comm reversed, half, inter;
  MPI_Request request;
  int me;
  CALL(Comm_split, comm, 0, -rank, &reversed);
  CALL(Comm_rank, reversed, &me);
  CALL(Irecv, in, 10, MPI_INT, (me + 1) % size, 1, reversed, &request);
  CALL(Send, out, 3, MPI_INT, (me + size - 1) % size, 1, reversed), SENT(Send, 3 * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, 3 * kInt);
  CALL(Comm_free, &reversed);
  if (size < 2) return;
  // Even and odd ranks are two groups. Rank i of one talks with rank i of the other, if both exist.
  CALL(Comm_split, comm, rank % 2, rank, &half);
  CALL(Intercomm_create, half, 0, comm, 1 - rank % 2, 5, &inter);
  int others;
  CALL(Comm_rank, inter, &me);
  CALL(Comm_remote_size, inter, &others);
  if (me < others) {
    CALL(Irecv, in, 10, MPI_INT, me, 1, inter, &request);
    CALL(Send, out, 2, MPI_INT, me, 1, inter), SENT(Send, 2 * kInt);
    CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, 2 * kInt);
  }
  CALL(Comm_free, &inter);
  CALL(Comm_free, &half);
}

// ---- Types ----------------------------------------------------------------------------------------------------------

static void OfType(MPI_Datatype type, int count) {
  MPI_Request request;
  int bytes;
  PMPI_Type_size(type, &bytes);
  CALL(Irecv, in, count, type, rank, 7, comm, &request);
  CALL(Send, out, count, type, rank, 7, comm), SENT(Send, count * bytes);
  CALL(Wait, &request, MPI_STATUS_IGNORE), GOT(Wait, count * bytes);
}

// Each type has a count of its own, so that two sizes that are mixed up change the sum.
static void Types(void) {
  const MPI_Datatype types[] = {MPI_BYTE,
                                MPI_CHAR,
                                MPI_SHORT,
                                MPI_INT,
                                MPI_LONG,
                                MPI_LONG_LONG,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_UNSIGNED,
                                MPI_INT8_T,
                                MPI_INT16_T,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_UINT8_T,
                                MPI_UINT64_T,
                                MPI_C_BOOL,
                                MPI_C_FLOAT_COMPLEX,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_AINT,
                                MPI_COUNT,
                                MPI_OFFSET,
                                MPI_WCHAR,
                                MPI_LONG_DOUBLE,
                                MPI_PACKED,
                                MPI_2INT,
                                MPI_DOUBLE_INT,
                                MPI_FLOAT_INT,
                                MPI_SHORT_INT,
                                MPI_INTEGER,
                                MPI_REAL,
                                MPI_CHARACTER,
                                MPI_DOUBLE_PRECISION,
                                MPI_LOGICAL,
                                MPI_COMPLEX};
  const int n = (int)(sizeof types / sizeof *types);
  for (int i = 0; i < n; ++i) OfType(types[i], i % 15 + 1);
  // A type may get the handle of the one before, which is gone.
  for (int i = 0; i < 20; ++i) {
    MPI_Datatype type;
    CALL(Type_contiguous, i % 4 + 1, types[i], &type);
    CALL(Type_commit, &type);
    OfType(type, 1 + i % 3);
    CALL(Type_free, &type);
  }
}

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  CALL(Comm_dup, MPI_COMM_WORLD, &comm);
  void (*const parts[])(void) = {Blocking,           Nobody, Probed, Requests, Persistent, CancelledAndFreed, Errors,
                                 OtherCommunicators, Types};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    parts[i]();
    CALL(Barrier, MPI_COMM_WORLD);
  }
  CALL(Comm_free, &comm);
  CALL(Finalize);
  WriteCounts(rank);
  Say("done", 1);
  return 0;
}
