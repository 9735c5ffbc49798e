/* SPDX-License-Identifier: BSD-3-Clause */
/* A function called in an OpenMP loop and in tasks. */
#include <stdio.h>

#define NI __attribute__((noinline))

static volatile double sink;

NI double Piece(int i) {
  double s = 0;
  for (int k = 0; k < 100; ++k) s += i * k;
  return s;
}

NI double Loop(int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += Piece(i);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    sink = Piece(i);
  }
  return s;
}

int main(void) { printf("%g\n", Loop(100)); }
