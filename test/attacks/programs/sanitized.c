// SPDX-License-Identifier: BSD-3-Clause
// A program with an address sanitizer. `beyond`: it reads beyond a block. `leak`: it loses one.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int leaf(const int* numbers, int i) { return numbers[i]; }

int main(int argc, char** argv) {
  int* numbers = calloc(10, sizeof *numbers);
  int sum = 0;
  for (int i = 0; i < 10 + (argc > 1 && argv[1][0] == 'b'); ++i) sum += leaf(numbers, i);
  printf("%d\n", sum);
  free(numbers);
  int* volatile lost = argc > 1 ? malloc(sizeof *lost) : NULL;
  lost = NULL;
  return 0;
}
