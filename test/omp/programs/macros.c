// SPDX-License-Identifier: BSD-3-Clause
// Directives that macros make: they have the lines at which the macros are used, as the comments say.
#include "macros.h"

#define TOGETHER _Pragma("omp parallel")
#define ALONE(name) DIRECTIVE(critical(name))

static volatile int sum;

__attribute__((noinline)) static void Add(int value) { sum += value; }

__attribute__((noinline)) static void Loops(void) {
  EACH(i, 8) Add(i);  // here: for dynamic, implicit barrier
  Add(1);
  DIRECTIVE(single)  // here: single, implicit barrier
  Add(2);
  Add(6);
}

__attribute__((noinline)) static void Locked(void) {
  ALONE(first)  // here: critical(first), critical block(first)
  Add(3);
  Add(4);
  DIRECTIVE(  // here: critical(second), critical block(second)
      critical(second))
  Add(5);
  DIRECTIVE(barrier)  // here: barrier
  Add(7);
}

int main(void) {
  TOGETHER  // here: parallel, implicit barrier
  {
    Loops();
    Locked();
  }
  return 0;
}
