// SPDX-License-Identifier: BSD-3-Clause
// Each thread touches its own fresh pages, the second one twice as many, in each of five regions.
#define _GNU_SOURCE
#include <omp.h>
#include <sys/mman.h>

#define PAGE 4096

__attribute__((noinline, noclone)) void touch(char* at, long count) {
  for (long i = 0; i < count; ++i) ((volatile char*)at)[i * PAGE] = 1;
}

int main(void) {
  const long pages = 100, regions = 5;
  char* fresh = mmap(0, 4 * regions * pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return 1;
  madvise(fresh, 4 * regions * pages * PAGE, MADV_NOHUGEPAGE);
#pragma omp parallel num_threads(2)
  touch(fresh, 0);
  for (long r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(2)
    {
      const long thread = omp_get_thread_num();
      touch(fresh + (3 * r + thread) * pages * PAGE, (thread + 1) * pages);
    }
  }
  return 0;
}
