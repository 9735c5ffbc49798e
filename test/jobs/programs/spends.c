/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that work unevenly, exchange and reduce. Each writes down how often it was in each function and in each call of
   MPI, and for how long: within the function, and around the call of it. The measured time lies between both. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

enum { kSteps = 40 };
enum What { kWork, kExchange, kReduce, kSendrecv, kAllreduce, kWhats };
static const char* const kNames[] = {"work", "exchange", "reduce", "MPI_Sendrecv", "MPI_Allreduce"};

static long visits[kWhats];
static long long within[kWhats], around[kWhats];
static int rank, size;

OUT static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void work(void) {
  const long long begin = now(), end = begin + 200000LL * (rank + 1);
  while (now() < end) continue;
  within[kWork] += now() - begin;
}

static void exchange(void) {
  const long long begin = now();
  int mine = rank, theirs;
  MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 1, &theirs, 1, MPI_INT, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const long long end = now();
  around[kSendrecv] += end - begin;
  within[kExchange] += end - begin;
}

static void reduce(void) {
  const long long begin = now();
  double one = 1, all;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const long long end = now();
  around[kAllreduce] += end - begin;
  within[kReduce] += end - begin;
}

OUT static void take(enum What what, void (*function)(void)) {
  const long long begin = now();
  function();
  around[what] += now() - begin;
  ++visits[what];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < kSteps; ++step) {
    take(kWork, work);
    take(kExchange, exchange);
    take(kReduce, reduce);
  }
  visits[kSendrecv] = visits[kExchange];
  visits[kAllreduce] = visits[kReduce];
  char name[32];
  snprintf(name, sizeof name, "spent.%d", rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) return 1;
  for (int what = 0; what < kWhats; ++what) {
    fprintf(file, "%s %ld %lld %lld\n", kNames[what], visits[what], within[what], around[what]);
  }
  fclose(file);
  MPI_Finalize();
  return 0;
}
