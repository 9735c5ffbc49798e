// SPDX-License-Identifier: BSD-3-Clause
// Messages and non-blocking operations of every kind, with a rank that is late: messages ROUNDS MICROSECONDS. Needs 3
// ranks or more.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static int rank, size, rounds;
static double late;

// In turn, one rank comes to each kind of message later than the others.
static void Late(int turn) {
  if (rank != turn % size) return;
  for (const double until = Now() + late; Now() < until;) {
  }
}

static void Ring(MPI_Comm comm, int tag) {
  int mine, all, in[64], out[64] = {0};
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &all);
  const int right = (mine + 1) % all, left = (mine + all - 1) % all;
  MPI_Status status;
  if (all == 1) return;
  MPI_Send(out, 8, MPI_INT, right, tag, comm);
  MPI_Send(out, 4, MPI_INT, right, tag + 1, comm);
  MPI_Recv(in, 64, MPI_INT, left, tag + 1, comm, &status);  // the second one first
  MPI_Recv(in, 64, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 2, MPI_INT, right, tag, in, 64, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Recv(in, 64, MPI_INT, MPI_PROC_NULL, tag, comm, &status);
}

static void Wildcards(int turn) {
  int in[8], out[8] = {0}, root = turn % size;
  if (rank != root) {
    MPI_Send(out, 1, MPI_INT, root, 5 + rank, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, root, 4, MPI_COMM_WORLD);
    MPI_Bsend(out, 2, MPI_INT, root, 4, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Recv(in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2 * (size - 1); ++i) {
    MPI_Request request;
    MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void Immediate(int turn) {
  int in[8][8], out[8] = {0};
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[6];
  MPI_Irecv(in[0], 8, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], 8, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(in[2], 8, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[2]);
  Late(turn);
  MPI_Isend(out, 8, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Isend(out, 7, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[4]);
  Late(turn + 1);
  MPI_Isend(out, 6, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[5]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);  // the second one first
  int place;
  MPI_Waitany(1, &requests[0], &place, MPI_STATUS_IGNORE);
  MPI_Waitall(4, requests + 2, MPI_STATUSES_IGNORE);
  // No call waits for a message that a test finds.
  MPI_Irecv(in[0], 8, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
  for (int done = 0; !done;) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void Probes(int turn) {
  int in[8], out[8] = {0};
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  Late(turn);
  for (int i = 0; i < 3; ++i) MPI_Send(out, 1 + i, MPI_INT, right, 7, MPI_COMM_WORLD);
  MPI_Probe(left, 7, MPI_COMM_WORLD, &status);
  MPI_Recv(in, 8, MPI_INT, left, 7, MPI_COMM_WORLD, &status);
  MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(in, 8, MPI_INT, &message, &status);
  MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
  MPI_Imrecv(in, 8, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
}

static void Persistent(int turn) {
  int in[8], out[8] = {0};
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Recv_init(in, 8, MPI_INT, left, 11, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 8, MPI_INT, right, 11, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    Late(turn + i);
    if (i == 1) {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    } else {
      MPI_Startall(2, requests);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void Synchronous(int turn) {
  int in[8], out[8] = {0};
  MPI_Request request;
  const int root = turn % size, next = (root + 1) % size;
  if (rank == root) {
    MPI_Ssend(out, 8, MPI_INT, next, 21, MPI_COMM_WORLD);
    MPI_Issend(out, 8, MPI_INT, next, 21, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == next) {
    Late(rank);
    MPI_Recv(in, 8, MPI_INT, root, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Late(rank);
    MPI_Irecv(in, 8, MPI_INT, root, 21, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// The receiver is late by the time of the sender, however busy the machine is: it spins from the sender's word on.
static void TellOfSend(int to) { MPI_Send(&size, 1, MPI_INT, to, 42, MPI_COMM_WORLD); }
static void LateAfterWord(int from) {
  int in;
  MPI_Recv(&in, 1, MPI_INT, from, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Late(rank);
}

static void Large(int turn) {
  enum { kBytes = 400000 };
  static char in[kBytes], out[kBytes];
  MPI_Request request;
  const int root = turn % size, next = (root + 1) % size;
  if (rank == root) {
    TellOfSend(next);
    MPI_Send(out, kBytes, MPI_CHAR, next, 41, MPI_COMM_WORLD);
    TellOfSend(next);
    MPI_Isend(out, kBytes, MPI_CHAR, next, 41, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    TellOfSend(next);
    MPI_Sendrecv(out, kBytes, MPI_CHAR, next, 41, in, kBytes, MPI_CHAR, MPI_PROC_NULL, 41, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send_init(out, kBytes, MPI_CHAR, next, 41, MPI_COMM_WORLD, &request);
    TellOfSend(next);
    MPI_Start(&request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    MPI_Request_free(&request);
  } else if (rank == next) {
    for (int i = 0; i < 4; ++i) {
      LateAfterWord(root);
      MPI_Recv(in, kBytes, MPI_CHAR, root, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

// A synchronous send waits for its receive, small as it is. A buffered one does not, and tells nothing about standard
// sends of its size.
static void Modes(int turn) {
  enum { kBytes = 400000 };
  static char in[kBytes], out[kBytes];
  MPI_Request requests[2];
  const int root = turn % size, next = (root + 1) % size;
  if (rank == root) {
    MPI_Ssend_init(out, 1, MPI_CHAR, next, 43, MPI_COMM_WORLD, &requests[0]);
    MPI_Bsend_init(out, kBytes, MPI_CHAR, next, 43, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; ++i) {
      TellOfSend(next);
      MPI_Start(&requests[i]);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      MPI_Request_free(&requests[i]);
    }
  } else if (rank == next) {
    for (int i = 0; i < 2; ++i) {
      LateAfterWord(root);
      MPI_Recv(in, kBytes, MPI_CHAR, root, 43, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static void Operations(MPI_Comm comm, int turn) {
  int in[64] = {0}, out[6][64], mine, all;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &all);
  const int root = turn % all, right = (mine + 1) % all, left = (mine + all - 1) % all;
  MPI_Request requests[8];
  Late(turn);
  MPI_Iallreduce(in, out[0], 4, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Allreduce(in, out[1], 4, MPI_INT, MPI_SUM, comm);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (mine == root) Late(rank);
  MPI_Ibcast(in, 4, MPI_INT, root, comm, &requests[0]);
  // Comes later than the root, which was late itself.
  for (int i = 0; i < 2 && mine == (root + 1) % all && mine != root; ++i) Late(rank);
  MPI_Ireduce(in, out[2], 4, MPI_INT, MPI_SUM, root, comm, &requests[1]);
  Late(turn + 1);
  MPI_Iscan(in, out[3], 4, MPI_INT, MPI_SUM, comm, &requests[2]);
  MPI_Ibarrier(comm, &requests[3]);
  MPI_Irecv(out[4], 4, MPI_INT, left, 31, comm, &requests[4]);
  MPI_Isend(in, 4, MPI_INT, right, 31, comm, &requests[5]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  // This wait completes only the scan.
  if (mine == 0) Late(rank);
  MPI_Iscan(in, out[3], 4, MPI_INT, MPI_SUM, comm, &requests[2]);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Igather(&mine, 1, MPI_INT, out[5], 1, MPI_INT, root, comm, &requests[0]);
  MPI_Barrier(comm);
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  MPI_Ibarrier(comm, &requests[0]);
  for (int done = 0; !done;) MPI_Testall(1, requests, &done, MPI_STATUSES_IGNORE);
}

static void Neighbours(MPI_Comm grid, int turn) {
  int mine = rank, in[4];
  MPI_Request request;
  Late(turn);
  MPI_Ineighbor_allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rounds = argc > 1 ? atoi(argv[1]) : 10;
  late = (argc > 2 ? atoi(argv[2]) : 0) * 1e-6;
  static char room[1 << 20];
  MPI_Buffer_attach(room, sizeof room);
  const int dims[] = {size}, periods[] = {1};
  MPI_Comm half, copy, grid;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  for (int round = 0; round < rounds; ++round) {
    Late(round);
    Ring(MPI_COMM_WORLD, 100);
    Ring(half, 100);
    Ring(copy, 100 + round);
    Late(round + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    Wildcards(round);
    MPI_Barrier(MPI_COMM_WORLD);
    Immediate(round);
    Probes(round);
    Persistent(round);
    Synchronous(round);
    Large(round);
    Modes(round);
    Operations(MPI_COMM_WORLD, round);
    Operations(half, round);
    Neighbours(grid, round);
  }
  void* attached;
  int bytes;
  MPI_Buffer_detach(&attached, &bytes);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
  return 0;
}
