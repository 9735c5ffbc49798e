// SPDX-License-Identifier: BSD-3-Clause
// Four threads of each process make communicators at once and meet at barriers of theirs: of some processes, of all.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kRounds = 10 };

static int rank, size;
static MPI_Group some, all;

static void make(MPI_Group group, int tag) {
  MPI_Comm made;
  MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
}

static void* work(void* argument) {
  const int tag = *(int*)argument;
  for (int i = 0; i < kRounds; ++i) {
    if (rank < size - 1) make(some, tag);
    make(all, tag);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level, sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int range[1][3] = {{0, size - 2, 1}};
  MPI_Group_range_incl(all, 1, range, &some);
  pthread_t threads[kThreads];
  int tags[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    tags[i] = i;
    pthread_create(&threads[i], NULL, work, &tags[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
  return level == MPI_THREAD_MULTIPLE ? 0 : 1;
}
