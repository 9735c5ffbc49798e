/* SPDX-License-Identifier: BSD-3-Clause
   A dynamic loop whose first pieces call a tiny function all the time, and a guided one. */
#define SMALL __attribute__((noinline))

static volatile unsigned state[64];

SMALL void tiny(int i) { state[i % 64] = state[i % 64] * 1664525u + 1013904223u; }

SMALL void piece(int i) {
  for (int k = 0; k < (i < 20 ? 500 : 5); ++k) tiny(i);
  for (int k = 0; k < 5000; ++k) state[i % 64] += 3;
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 40; ++i) piece(i);
#pragma omp for schedule(guided)
      for (int i = 0; i < 40; ++i) piece(39 - i);
    }
  }
  return 0;
}
