// SPDX-License-Identifier: BSD-3-Clause
// MPI and OpenMP together, by the rules of one thread level; each thread counts its calls.
//
//   hybrid funneled|serialized|multiple ROUNDS FILE     FILE.RANK: "count THREAD NAME N", THREAD by OpenMP's number
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostThreads = 16, kFunctions = 8 };

static const char* const kNames[kFunctions] = {"Compute",   "MPI_Allreduce", "MPI_Send", "MPI_Recv",
                                               "MPI_Irecv", "MPI_Wait",      "Round",    "MPI_Barrier"};
static long counts[kMostThreads][kFunctions];

__attribute__((no_instrument_function)) static void Count(const char* name) {
  for (int i = 0; i < kFunctions; ++i) counts[omp_get_thread_num()][i] += strcmp(kNames[i], name) == 0;
}

static volatile double sink;
static void Compute(int n) {
  Count("Compute");
  for (int i = 0; i < n * 500; ++i) sink = sink + i;
}

static void Sum(void) {
  double mine = 1, all = 0;
  Count("MPI_Allreduce");
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void Exchange(int peer, int tag) {
  double out = tag, in = -1;
  MPI_Request request;
  if (peer == MPI_PROC_NULL) return;
  Count("MPI_Irecv");
  MPI_Irecv(&in, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &request);
  Count("MPI_Send");
  MPI_Send(&out, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD);
  Count("MPI_Wait");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (in != tag) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void Round(int level, int peer) {
  Count("Round");
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    Compute(1 + thread);
    if (level == MPI_THREAD_FUNNELED) {
#pragma omp barrier
#pragma omp master
      Exchange(peer, 7);
    } else if (level == MPI_THREAD_SERIALIZED) {
#pragma omp critical
      Compute(1);
#pragma omp single
      Exchange(peer, 8);
    } else {
      Exchange(peer, 100 + thread);
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; ++i) Compute(1);
  }
  Sum();
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "funneled";
  const int level = strcmp(name, "multiple") == 0     ? MPI_THREAD_MULTIPLE
                    : strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                      : MPI_THREAD_FUNNELED;
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (provided < level) MPI_Abort(MPI_COMM_WORLD, 2);
  const int peer = (rank ^ 1) < ranks ? rank ^ 1 : MPI_PROC_NULL;
  const int rounds = argc > 2 ? atoi(argv[2]) : 10;
  for (int i = 0; i < rounds; ++i) Round(level, peer);
  Count("MPI_Barrier");
  MPI_Barrier(MPI_COMM_WORLD);
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", argc > 3 ? argv[3] : "counts", rank);
  FILE* file = fopen(path, "w");
  if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 4);
  for (int t = 0; t < kMostThreads; ++t) {
    for (int i = 0; i < kFunctions; ++i) {
      if (counts[t][i] != 0) fprintf(file, "count %d %s %ld\n", t, kNames[i], counts[t][i]);
    }
  }
  fclose(file);
  MPI_Finalize();
  return 0;
}
