/* SPDX-License-Identifier: BSD-3-Clause
   buffered BYTES MS: rank 0 takes its buffer back while a message is in it, and rank 1 comes to each message so late.
   Rank 0 writes how long each of the calls took into the file truth. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 3 };

static void Rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

int main(int argc, char** argv) {
  int rank, size;
  const int bytes = atoi(argv[1]), late_ms = atoi(argv[2]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc(1, (size_t)bytes);
  FILE* truth = rank == 0 ? fopen("truth", "w") : NULL;
  for (int i = 0; i < kRounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) Rest(late_ms);
    if (rank == 1) MPI_Recv(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) continue;
    char* buffer = malloc((size_t)bytes + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(buffer, bytes + MPI_BSEND_OVERHEAD);
    MPI_Bsend(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    MPI_Buffer_detach(&buffer, &size);
    fprintf(truth, "%.9f\n", MPI_Wtime() - begun);
    free(buffer);
  }
  if (truth != NULL) fclose(truth);
  free(data);
  MPI_Finalize();
  return 0;
}
