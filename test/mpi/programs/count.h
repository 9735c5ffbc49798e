// SPDX-License-Identifier: BSD-3-Clause
// A test program's own record of its actions: calls and bytes for each MPI function, written to
// $COUNT_FOLDER/<rank> at the end, one "function metric bytes times" a line. Independent of any measurement.
#ifndef EPIK_TEST_MPI_PROGRAMS_COUNT_H_
#define EPIK_TEST_MPI_PROGRAMS_COUNT_H_

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Count {
  const char* function;
  const char* metric;
  long bytes;
  long times;
};
static struct Count counts[1000];
static int number_of_counts;
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

static void Did(const char* function, const char* metric, long bytes) {
  pthread_mutex_lock(&counts_lock);
  struct Count* at = counts;
  while (at < counts + number_of_counts && (strcmp(at->function, function) || strcmp(at->metric, metric))) ++at;
  if (at == counts + number_of_counts) {
    at->function = function;
    at->metric = metric;
    ++number_of_counts;
  }
  at->bytes += bytes;
  ++at->times;
  pthread_mutex_unlock(&counts_lock);
}

// A call of MPI that is counted; CALLED if its bytes are known, too.
#define CALL(name, ...) (Did("MPI_" #name, "visits", 0), MPI_##name(__VA_ARGS__))
#define SENT(name, bytes) Did("MPI_" #name, "sent", bytes)
#define GOT(name, bytes) Did("MPI_" #name, "received", bytes)
#define MOVED(name, out, in) (Did("MPI_" #name, "coll_out", out), Did("MPI_" #name, "coll_in", in))

static inline void WriteCounts(int rank) {
  const char* folder = getenv("COUNT_FOLDER");
  if (folder == NULL) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  for (int i = 0; i < number_of_counts; ++i) {
    fprintf(file, "%s %s %ld %ld\n", counts[i].function, counts[i].metric, counts[i].bytes, counts[i].times);
  }
  fclose(file);
}

#endif  // EPIK_TEST_MPI_PROGRAMS_COUNT_H_
