// SPDX-License-Identifier: BSD-3-Clause
// A region that the leader excludes is measured on no thread.
#include <epik/epik.h>

static volatile int sink;
__attribute__((noinline)) void Shown(void) { ++sink; }
__attribute__((noinline)) void Hidden(void) { ++sink; }

int main(void) {
  for (int i = 0; i < 5; ++i) {
    EPIK_PAUSE_START();
#pragma omp parallel
    Hidden();
    EPIK_PAUSE_END();
#pragma omp parallel
    Shown();
  }
  return 0;
}
