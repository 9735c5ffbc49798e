// SPDX-License-Identifier: BSD-3-Clause
// A thread that takes LOCKS locks of OpenMP, one within the other: holding LOCKS.
#include <omp.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  omp_lock_t* locks = calloc((size_t)count, sizeof *locks);
  for (int i = 0; i < count; ++i) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) omp_set_lock(&locks[i]);
    for (int i = count; i-- > 0;) omp_unset_lock(&locks[i]);
  }
  for (int i = 0; i < count; ++i) omp_destroy_lock(&locks[i]);
  free(locks);
  return 0;
}
