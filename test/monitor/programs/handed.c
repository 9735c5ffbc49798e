// SPDX-License-Identifier: BSD-3-Clause
// One thread takes messages out of their channel by MPI_Mprobe, and another one receives them: handed ROUNDS
// MICROSECONDS. Of 2 ranks. Each message is late.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { kMost = 100 };

static MPI_Message messages[kMost];
static int rounds;

// The later messages first, and some of them by another call than the one that begins the receive.
static void *Receive(void *unused) {
  int in;
  for (int i = rounds; i-- > 0;) {
    if (i % 2 == 0) {
      MPI_Mrecv(&in, 1, MPI_INT, &messages[i], MPI_STATUS_IGNORE);
    } else {
      MPI_Request request;
      MPI_Imrecv(&in, 1, MPI_INT, &messages[i], &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  return unused;
}

static void Probe(void) {
  for (int i = 0; i < rounds; ++i) MPI_Mprobe(0, 3, MPI_COMM_WORLD, &messages[i], MPI_STATUS_IGNORE);
}

static void Send(double late) {
  const int out = 0;
  const struct timespec pause = {0, (long)(late * 1e9)};
  for (int i = 0; i < rounds; ++i) {
    nanosleep(&pause, NULL);
    MPI_Send(&out, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank, level;
  if (argc < 3 || atoi(argv[1]) > kMost) return 2;
  rounds = atoi(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) Send(atoi(argv[2]) * 1e-6);
  if (rank == 1) {
    pthread_t other;
    Probe();
    pthread_create(&other, NULL, Receive, NULL);
    pthread_join(other, NULL);
  }
  MPI_Finalize();
  return 0;
}
