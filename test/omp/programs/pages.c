// SPDX-License-Identifier: BSD-3-Clause
// In each of 20 regions within a region, a thread touches three new pages. With libgomp it is a new thread each time.
#define _GNU_SOURCE
#include <omp.h>
#include <stddef.h>
#include <sys/mman.h>

enum { kPage = 4096, kEach = 3, kRegions = 20 };

static char* pages;

static void Touch(int region) {
  for (int i = 0; i < kEach; ++i) pages[(region * kEach + i) * kPage] = 1;
}

int main(void) {
  pages = mmap(NULL, kPage * kEach * kRegions, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 1;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < kRegions; ++i) {
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) Touch(i);
    }
  }
  return 0;
}
