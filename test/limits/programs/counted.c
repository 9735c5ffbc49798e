// SPDX-License-Identifier: BSD-3-Clause
// Calls of `down` within each other, CALLS deep; each allocates a block before it calls the next: counted CALLS.
#include <stdlib.h>

__attribute__((noinline)) void down(int more) {
  void* block = malloc(16);
  __asm__ volatile("" : : "r"(block) : "memory");
  if (more > 1) down(more - 1);
  free(block);
}

int main(int argc, char** argv) {
  down(argc > 1 ? atoi(argv[1]) : 1);
  return 0;
}
