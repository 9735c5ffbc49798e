// SPDX-License-Identifier: BSD-3-Clause
// A program with gcc's address sanitizer; an argument makes it read beyond a block.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int leaf(const int* numbers, int i) { return numbers[i]; }

int main(int argc, char** argv) {
  (void)argv;
  int* numbers = calloc(10, sizeof *numbers);
  int sum = 0;
  for (int i = 0; i < 10 + (argc > 1); ++i) sum += leaf(numbers, i);
  printf("%d\n", sum);
  free(numbers);
  return 0;
}
