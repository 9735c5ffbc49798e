// SPDX-License-Identifier: BSD-3-Clause
// Calls functions of MPI that do nothing (bench/floors/mpi.c is preloaded), in one process: only the cost of measuring
// is left.
//   mpi_calls [CALLS [send|recv|allreduce|exchange]]        exchange: Irecv, Isend, Waitall; three calls
#include <mpi.h>
#include <string.h>

#include "bench/programs/bench.h"

static double x, y;

static BENCH_CALLED void Send(void) { MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); }
static BENCH_CALLED void Receive(void) { MPI_Recv(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static BENCH_CALLED void Reduce(void) { MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static BENCH_CALLED void Exchange(void) {
  MPI_Request requests[2];
  MPI_Irecv(&y, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*once)(void);
    unsigned calls;
  } kinds[] = {{"send", Send, 1}, {"recv", Receive, 1}, {"allreduce", Reduce, 1}, {"exchange", Exchange, 3}};
  const uint64_t rounds = Argument(argc, argv, 1, 5000000);
  MPI_Init(&argc, &argv);
  for (unsigned kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind) {
    if (strcmp(argc > 2 ? argv[2] : "send", kinds[kind].name) != 0) continue;
    for (int i = 0; i < 1000; ++i) kinds[kind].once();
    const uint64_t start = ThreadNs();
    for (uint64_t i = 0; i < rounds; ++i) kinds[kind].once();
    Report(kinds[kind].name, "call", rounds * kinds[kind].calls, ThreadNs() - start);
  }
  MPI_Finalize();
  return 0;
}
