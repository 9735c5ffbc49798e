// SPDX-License-Identifier: BSD-3-Clause
// Many threads that sleep in a call, in each rank, and a collective now and then, until there is a file "stop": crowd
// THREADS.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int ended;

static void Rest(int milliseconds) { nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL); }

static void wait_here(void) {
  while (!ended) Rest(200);
}

static void* work(void* arg) {
  wait_here();
  return arg;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, stop = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = atoi(argv[1]);
  pthread_t* threads = malloc((size_t)count * sizeof *threads);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, work, NULL);
  if (rank == 0) fclose(fopen("started", "w"));
  for (int any = 0; !any;) {
    stop = rank == 0 && access("stop", F_OK) == 0;
    Rest(20);
    MPI_Allreduce(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  ended = 1;
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  free(threads);
  return 0;
}
