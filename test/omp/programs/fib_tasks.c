// SPDX-License-Identifier: BSD-3-Clause
// Two task constructs in a recursion: fib_tasks [N] prints how many calls of Fib and tasks there were.
#include <stdio.h>
#include <stdlib.h>

static long calls, tasks;

static long Fib(int n) {
  long left = 0, right = 0;
#pragma omp atomic
  ++calls;
  if (n < 2) return n;
#pragma omp atomic
  tasks += 2;
#pragma omp task shared(left)
  left = Fib(n - 1);
#pragma omp task shared(right)
  right = Fib(n - 2);
#pragma omp taskwait
  return left + right;
}

int main(int argc, char** argv) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = Fib(argc > 1 ? atoi(argv[1]) : 15);
  printf("%ld calls, %ld tasks, %ld\n", calls, tasks, result);
  return 0;
}
