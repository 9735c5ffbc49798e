// SPDX-License-Identifier: BSD-3-Clause
// Two threads of each process receive 1000 messages each, and send as many, all at once.
#include "count.h"

enum { kThreads = 2, kMessages = 1000 };
static int rank, size;

static void* Exchange(void* argument) {
  const int tag = (int)(long)argument;
  int out = rank, in = 0;
  for (int i = 0; i < kMessages; ++i) {
    MPI_Request request;
    CALL(Isend, &out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &request), SENT(Isend, sizeof out);
    if (i % 2 == 0) {
      CALL(Recv, &in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      GOT(Recv, sizeof in);
    } else {
      MPI_Request other;
      CALL(Irecv, &in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &other);
      CALL(Wait, &other, MPI_STATUS_IGNORE), GOT(Wait, sizeof in);
    }
    CALL(Wait, &request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  CALL(Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  if (provided == MPI_THREAD_MULTIPLE) {
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, Exchange, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  CALL(Finalize);
  WriteCounts(rank);
  if (rank == 0) printf("threads: %d\n", provided == MPI_THREAD_MULTIPLE);
  return 0;
}
