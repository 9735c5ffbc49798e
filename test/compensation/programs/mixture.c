/* SPDX-License-Identifier: BSD-3-Clause
   A bit of each way in which processes and threads wait for each other, with a tiny function that measuring makes slow
   in different places. `mixture ROUNDS [kill]`: rank 0 kills itself in the middle. */
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT __attribute__((no_instrument_function))
#define LARGE 200000

static __thread volatile unsigned state = 1;
static int rank, ranks;
__attribute__((noinline)) void step(void) { state = state * 1664525u + 1013904223u; }
__attribute__((noinline)) void work(int calls) {
  for (int i = 0; i < calls; ++i) step();
}

__attribute__((noinline)) void messages(char* large) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int out = rank, in = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  work(rank == 0 ? 3000 : 200);
  if (rank == 0) {
    MPI_Send(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(1000);
    MPI_Ssend(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
  }
  MPI_Isend(large, LARGE, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(large + LARGE, LARGE, MPI_CHAR, before, 3, MPI_COMM_WORLD, &requests[1]);
  work(rank == 1 ? 2000 : 100);
  MPI_Waitall(2, requests, statuses);
  MPI_Sendrecv(&out, 1, MPI_INT, next, 4, &in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Pauses grow, so that a partner that the machine holds up for a second makes no trace of gigabytes. */
OUT static useconds_t longer(useconds_t pause) { return pause < 5000 ? 2 * pause : pause; }

__attribute__((noinline)) void polling(void) {
  const int partner = rank ^ 1;
  int in = 0, done = 0;
  useconds_t pause = 1;
  if (partner >= ranks) return;
  if (rank % 2 == 0) {
    work(4000);
    MPI_Send(&rank, 1, MPI_INT, partner, 5, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &request);
  while (!done) {
    work(20);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    usleep(pause);
    pause = longer(pause);
  }
}

__attribute__((noinline)) void collectives(void) {
  int in[64], out[64];
  MPI_Request request;
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  work(rank == 1 ? 2500 : 50);
  MPI_Barrier(MPI_COMM_WORLD);
  work(100 * rank);
  MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
  work(400);
  MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  work(rank == 0 ? 1500 : 10);
  MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  work(500);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
}

__attribute__((noinline)) void threads(void) {
  static int sum;
#pragma omp parallel num_threads(2)
  {
    work(omp_get_thread_num() == 0 ? 1500 : 100);
#pragma omp barrier
#pragma omp critical
    {
      sum += 1;
      work(200);
    }
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 16; ++i) work(10 * i);
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 8; ++i) {
      work(20);
#pragma omp ordered
      work(5);
    }
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      work(50);
    }
  }
}

OUT int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  char* large = calloc(2, LARGE);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < rounds; ++round) {
    messages(large);
    collectives();
    threads();
    polling();
    if (argc > 2 && round == rounds / 2 && rank == 0) raise(SIGKILL);
  }
  MPI_Finalize();
  free(large);
  return 0;
}
