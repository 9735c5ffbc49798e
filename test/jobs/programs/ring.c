/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks in a ring, in three steps of work, exchange and reduction; ends as the first argument says. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSteps = 60, kBadStep = 40 };

static volatile double sink;

static void work(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += i * 0.5;
  sink = sum;
}

static void exchange(int rank, int size) {
  int mine[4] = {rank, 0, 0, 0}, theirs[4];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(theirs, 4, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(mine, 4, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  if (theirs[0] != (rank + size - 1) % size) abort();
}

static void reduce(void) {
  double one = 1, all;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Only where there are three ranks or more. */
static void extra(void) { work(10); }

/* All ranks are in step kBadStep or behind it, and the test that waits for that may send a signal. */
static void sleep_when_ready(void) {
  fclose(fopen("ready", "w"));
  sleep(60);
}

static void misbehave(const char* how) {
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "exit") == 0) exit(7);
  if (strcmp(how, "_exit") == 0) _exit(8);
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "sleep") == 0) sleep_when_ready();
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "well";
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < kSteps; ++step) {
    work(1000 * (rank + 1));
    if (size >= 3 && rank == 2) extra();
    exchange(rank, size);
    reduce();
    if (step == kBadStep && rank == size - 1) misbehave(how);
  }
  if (strcmp(how, "open") == 0) return 0;
  MPI_Finalize();
  if (rank == 0) printf("%d ranks\n", size);
  return 0;
}
