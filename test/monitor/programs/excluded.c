// SPDX-License-Identifier: BSD-3-Clause
// Calls of every kind that a filter may exclude, between ranks that are late in turn: excluded ROUNDS MICROSECONDS.
// Needs 3 ranks or more. The rank that EXCLUDED_RANK names takes itself out every second round: it pauses or, if
// EXCLUDED_BY is "group", it switches MPI off.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void epik_pause(void) __attribute__((weak));
void epik_resume(void) __attribute__((weak));
void epik_group_disable(const char* group) __attribute__((weak));
void epik_group_enable(const char* group) __attribute__((weak));

static int rank, size, rounds;
static double late;

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

// In turn, one rank comes later than the others.
static void Late(int turn) {
  if (rank != turn % size) return;
  for (const double until = Now() + late; Now() < until;) {
  }
}

static void Blocking(int turn) {
  int in[8], out[8] = {0};
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  Late(turn);
  MPI_Sendrecv(out, 1, MPI_INT, right, 1, in, 8, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Late(turn + 1);
  MPI_Send(out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Recv(in, 8, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Late(turn + 2);
  if (rank % 2 == 0 && rank + 1 < size) MPI_Ssend(out, 1, MPI_INT, rank + 1, 3, MPI_COMM_WORLD);
  if (rank % 2 == 1) {
    MPI_Probe(rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, 8, MPI_INT, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void Immediate(int turn) {
  int in[4][8], out[8] = {0};
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[4];
  MPI_Irecv(in[0], 8, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], 8, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[1]);
  Late(turn);
  MPI_Isend(out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[2]);
  MPI_Issend(out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[3]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Waitall(3, requests + 1, MPI_STATUSES_IGNORE);
}

static void Collective(int turn) {
  int in[64], out[64] = {0};
  MPI_Request request;
  Late(turn);
  MPI_Barrier(MPI_COMM_WORLD);
  Late(turn + 1);
  MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Late(turn + 2);
  MPI_Bcast(out, 1, MPI_INT, turn % size, MPI_COMM_WORLD);
  Late(turn);
  MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, turn % size, MPI_COMM_WORLD);
  MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Late(turn + 1);
  MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void TakeOut(int is_out) {
  const char* by = getenv("EXCLUDED_BY");
  if (by != NULL && by[0] == 'g') {
    is_out ? epik_group_disable("mpi") : epik_group_enable("mpi");
  } else {
    is_out ? epik_pause() : epik_resume();
  }
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atoi(argv[1]) : 3;
  late = argc > 2 ? atof(argv[2]) * 1e-6 : 1e-3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* excluded = getenv("EXCLUDED_RANK");
  for (int turn = 0; turn < rounds; ++turn) {
    const int is_out = excluded != NULL && atoi(excluded) == rank && turn % 2 == 1;
    if (is_out) TakeOut(1);
    Blocking(turn);
    Immediate(turn);
    Collective(turn);
    if (is_out) TakeOut(0);
  }
  MPI_Finalize();
  return 0;
}
