// SPDX-License-Identifier: BSD-3-Clause
// Linked with an OpenMP runtime that it never asks for anything.
#include <stdio.h>

int omp_get_max_threads(void);

int main(void) {
  printf("%d\n", omp_get_max_threads() > 0);
  return 0;
}
