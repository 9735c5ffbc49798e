// SPDX-License-Identifier: BSD-3-Clause
// One rank has more to do than the others, between collectives, until there is a file "stop": late RANK [KIND [N]].
// It makes a file "started" when all have begun. KIND: "later", another call completes each operation; "again", the
// same with a persistent request, where MPI has such; "many", all have an operation on each of N communicators, too.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void Rest(int milliseconds) { nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL); }

#ifdef MPICH
#define HAS_PERSISTENT_OPERATIONS 1
#else
#define HAS_PERSISTENT_OPERATIONS 0
#define MPI_Allreduce_init(...) 0
#endif

static const char* kind = "";
static int stop, any;
enum { kMost = 100 };
static MPI_Comm comms[kMost];
static int many = 0;
static MPI_Request request = MPI_REQUEST_NULL;

static int step(int rank, int late) {
  const int is_persistent = HAS_PERSISTENT_OPERATIONS && strcmp(kind, "again") == 0;
  if (is_persistent && request == MPI_REQUEST_NULL) {
    MPI_Allreduce_init(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }
  stop = rank == 0 && access("stop", F_OK) == 0;
  Rest(rank == late ? 60 : 1);
  if (is_persistent) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (kind[0] != 0 && many == 0) {
    MPI_Iallreduce(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    int one = 1, all;
    for (int i = 0; i < many; ++i) MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comms[i]);
    MPI_Allreduce(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  return any;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) kind = argv[2];
  if (argc > 3) many = atoi(argv[3]);
  for (int i = 0; i < many; ++i) {
    char name[64];
    snprintf(name, sizeof name, "the communicator of a solver that has a long name: %d", i);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Comm_set_name(comms[i], name);
  }
  int steps = 1;
  while (!step(rank, argc > 1 ? atoi(argv[1]) : 1)) {
    ++steps;
    if (rank == 0 && steps == 3) fclose(fopen("started", "w"));
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  MPI_Finalize();
  if (rank == 0) {
    FILE* file = fopen("steps", "w");
    fprintf(file, "%d\n", steps);
    fclose(file);
  }
  return 0;
}
