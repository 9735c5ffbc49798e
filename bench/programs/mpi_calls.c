// SPDX-License-Identifier: BSD-3-Clause
// Calls functions of MPI that do nothing (bench/floors/mpi.c is preloaded), in one process: only the cost of measuring
// is left.
//   mpi_calls [ROUNDS [KIND]]
// The table in main has the kinds, and the number of calls in a round of each.
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

static MPI_Request pending;
static MPI_Win window;

static BENCH_CALLED void SendAndReceive(void) {
  MPI_Sendrecv(&x, 1, MPI_DOUBLE, 0, 0, &y, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static BENCH_CALLED void PostSend(void) {
  MPI_Request request;
  MPI_Isend(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static BENCH_CALLED void PostReceive(void) {
  MPI_Request request;
  MPI_Irecv(&y, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static BENCH_CALLED void Test(void) {
  int done;
  MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
}
static BENCH_CALLED void Probe(void) {
  int there;
  MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}
static BENCH_CALLED void Broadcast(void) { MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static BENCH_CALLED void ReduceToRoot(void) { MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static BENCH_CALLED void AllToAll(void) { MPI_Alltoall(&x, 1, MPI_DOUBLE, &y, 1, MPI_DOUBLE, MPI_COMM_WORLD); }
static BENCH_CALLED void Barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static BENCH_CALLED void Put(void) { MPI_Put(&x, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window); }
static BENCH_CALLED void Flush(void) { MPI_Win_flush(0, window); }
static BENCH_CALLED void Size(void) {
  int size;
  MPI_Type_size(MPI_DOUBLE, &size);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*once)(void);
    unsigned calls;
  } kinds[] = {{"send", Send, 1},
               {"recv", Receive, 1},
               {"allreduce", Reduce, 1},
               {"exchange", Exchange, 3},
               {"sendrecv", SendAndReceive, 1},
               {"isend", PostSend, 2},
               {"irecv", PostReceive, 2},
               {"test", Test, 1},
               {"iprobe", Probe, 1},
               {"bcast", Broadcast, 1},
               {"reduce", ReduceToRoot, 1},
               {"alltoall", AllToAll, 1},
               {"barrier", Barrier, 1},
               {"put", Put, 1},
               {"flush", Flush, 1},
               {"type_size", Size, 1}};
  const uint64_t rounds = Argument(argc, argv, 1, 5000000);
  MPI_Init(&argc, &argv);
  void* memory;
  MPI_Win_allocate(sizeof y, sizeof y, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Irecv(&y, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &pending);
  for (unsigned kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind) {
    if (strcmp(argc > 2 ? argv[2] : "send", kinds[kind].name) != 0) continue;
    for (int i = 0; i < 1000; ++i) kinds[kind].once();
    const uint64_t start = ThreadNs();
    for (uint64_t i = 0; i < rounds; ++i) kinds[kind].once();
    Report(kinds[kind].name, "call", rounds * kinds[kind].calls, ThreadNs() - start);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
