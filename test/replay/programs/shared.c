/* SPDX-License-Identifier: BSD-3-Clause
   Two threads of rank 0 have small sends open at once. Each of them waits for its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { kThreads = 2, kSends = 8 };

static pthread_barrier_t both;

static void* Send(void* argument) {
  const int me = *(int*)argument;
  int out[kSends] = {0};
  MPI_Request requests[kSends];
  for (int i = 0; i < kSends; ++i) {
    pthread_barrier_wait(&both);
    MPI_Isend(&out[i], 1, MPI_INT, 1, me, MPI_COMM_WORLD, &requests[i]);
  }
  pthread_barrier_wait(&both);
  for (int i = 0; i < kSends; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int level, rank, numbers[kThreads], in;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE) abort();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_t threads[kThreads];
    pthread_barrier_init(&both, NULL, kThreads);
    for (int t = 0; t < kThreads; ++t) {
      numbers[t] = t;
      pthread_create(&threads[t], NULL, Send, &numbers[t]);
    }
    for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  }
  for (int i = 0; rank == 1 && i < kSends; ++i) {
    for (int t = 0; t < kThreads; ++t) MPI_Recv(&in, 1, MPI_INT, 0, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
