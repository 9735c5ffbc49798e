// SPDX-License-Identifier: BSD-3-Clause
// Recursion of three kinds: by itself, by turns, and as deep as its value.     recurse [N]
#include <stdio.h>
#include <stdlib.h>

long Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

int IsOdd(int n);
int IsEven(int n) { return n == 0 ? 1 : IsOdd(n - 1); }
int IsOdd(int n) { return n == 0 ? 0 : IsEven(n - 1); }

long Ackermann(long m, long n) {
  if (m == 0) return n + 1;
  if (n == 0) return Ackermann(m - 1, 1);
  return Ackermann(m - 1, Ackermann(m, n - 1));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 10;
  printf("fib %ld\n", Fib(n));
  printf("even %d odd %d\n", IsEven(n), IsOdd(n));
  printf("ackermann %ld\n", Ackermann(2, n));
  return 0;
}
