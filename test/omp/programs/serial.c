// SPDX-License-Identifier: BSD-3-Clause
// No OpenMP at all: no library of OpenMP may come into the process.
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found += strstr(line, "omp.so") != NULL;
  printf("found %d\n", found);
  return 0;
}
