/* SPDX-License-Identifier: BSD-3-Clause
   Programs that measuring perturbs: a tiny function, called all the time, between messages. Prints the seconds from the
   moment when all processes had started until the last one was done.
     perturbation pi|pipeline|solver ROUNDS CALLS [STEPS]
   STEPS: the work of the tiny function; the default is 8 steps of a nanosecond.
   pi: a master hands packets of random numbers to workers (Monte-Carlo, the program of the paper of 2005).
   pipeline: each process works on the result of the process before it.
   solver: all sum up after each step, the first one with most work.
*/
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT __attribute__((no_instrument_function))

enum { kPacket = 64 };
static int rank, ranks, rounds;
static long calls;
static int steps;
static unsigned seed = 1;

__attribute__((noinline)) double get_coords(void) {
  for (int i = 0; i < steps; ++i) seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 24);
}

static long inside(long points) {
  long hits = 0;
  for (long i = 0; i < points; ++i) {
    const double x = get_coords(), y = get_coords();
    hits += x * x + y * y < 1;
  }
  return hits;
}

static void pi(void) {
  double packet[kPacket] = {0};
  long hits = 0, sum = 0;
  if (rank == 0) {
    for (int left = rounds * (ranks - 1) + ranks - 1; left > 0; --left) {
      MPI_Status from;
      MPI_Recv(&hits, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &from);
      sum += hits;
      packet[0] = left > ranks - 1;
      MPI_Send(packet, kPacket, MPI_DOUBLE, from.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
    return;
  }
  do {
    MPI_Send(&hits, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(packet, kPacket, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hits = packet[0] != 0 ? inside(calls) : 0;
  } while (packet[0] != 0);
}

static void pipeline(void) {
  double item[kPacket] = {0};
  for (int i = 0; i < rounds; ++i) {
    if (rank > 0) MPI_Recv(item, kPacket, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    item[0] += (double)inside(calls);
    if (rank < ranks - 1) MPI_Send(item, kPacket, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
  }
}

static void solver(void) {
  double sum = 0;
  for (int i = 0; i < rounds; ++i) {
    double own = (double)inside(rank == 0 ? calls : calls / 2);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

OUT int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argc > 1 ? argv[1] : "pi";
  rounds = argc > 2 ? atoi(argv[2]) : 20;
  calls = argc > 3 ? atol(argv[3]) : 20000;
  steps = argc > 4 ? atoi(argv[4]) : 8;
  seed += (unsigned)rank;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (strcmp(what, "pipeline") == 0) {
    pipeline();
  } else if (strcmp(what, "solver") == 0) {
    solver();
  } else {
    pi();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f\n", MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
