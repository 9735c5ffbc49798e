// SPDX-License-Identifier: BSD-3-Clause
// Two phases; in the second one rank has more to do: phases RANK STEPS. The second begins after STEPS steps, or at once
// without a number. Ends when there is a file "stop". Rank 0 writes the steps it has done to "steps".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void Rest(int milliseconds) { nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL); }

static void assemble(void) {
  int one = 1, sum;
  Rest(1);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int solve(int is_late, int stop) {
  int any = 0;
  Rest(is_late ? 300 : 1);
  MPI_Allreduce(&stop, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any;
}

static void Write(const char* name, int number) {
  FILE* file = fopen("writing", "w");
  fprintf(file, "%d\n", number);
  fclose(file);
  rename("writing", name);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int late = atoi(argv[1]), steps = argc > 2 ? atoi(argv[2]) : 0;
  for (int stop = 0; steps != 0 ? done < steps : !stop; ++done) {
    assemble();
    stop = solve(rank == late, rank == 0 && access("stop", F_OK) == 0);
    if (rank == 0 && done == 1) Write("started", done);
  }
  if (rank == 0) Write("steps", done);
  while (access("stop", F_OK) != 0) Rest(10);
  MPI_Finalize();
  return 0;
}
