// SPDX-License-Identifier: BSD-3-Clause
// Every construct. The comment at a directive names the regions that must have its line in a report: with both
// compilers, or with one of them.
#include <stdio.h>

static double sink[64];
static long total;

static void Work(int i) { sink[i & 63] += i; }

int main(void) {
  long sum = 0;
  long double fat = 0;
  long mine = 0;
#pragma omp parallel reduction(+ : sum) private(mine)  // here: implicit barrier, parallel
  {
    Work(1);
#pragma omp barrier  // here: barrier
    Work(2);
#pragma omp for schedule(static)  // here: implicit barrier, clang for static
    for (int i = 0; i < 8; ++i) {
      Work(i);
    }
#pragma omp for schedule(dynamic)  // here: for dynamic, implicit barrier
    for (int i = 0; i < 8; ++i) {
      Work(i);
    }
#pragma omp for schedule(guided) nowait  // here: for guided
    for (int i = 0; i < 8; ++i) Work(i);
#pragma omp for schedule(runtime)  // here: for runtime, implicit barrier
    for (int i = 0; i < 8; ++i) {
      Work(i);
    }
#pragma omp for ordered schedule(dynamic)  // here: for ordered, implicit barrier
    for (int i = 0; i < 8; ++i) {
      Work(i);
#pragma omp ordered  // here: ordered, ordered block
      { Work(i + 1); }
    }
#pragma omp sections  // here: implicit barrier, sections
    {
#pragma omp section
      Work(3);
#pragma omp section
      Work(4);
    }
#pragma omp single  // here: implicit barrier, single
    { Work(5); }
#pragma omp single copyprivate(mine)  // here: single, gcc implicit barrier
    { mine = 2; }
#pragma omp master
    { Work(6); }
#pragma omp critical  // here: critical, critical block
    { total += 1; }
#pragma omp critical(cash)  // here: critical block(cash), critical(cash)
    { total += 2; }
#ifndef __clang__
#pragma omp atomic  // here: gcc atomic
    fat += 1;
#endif
#pragma omp atomic
    total += 1;
#pragma omp single  // here: implicit barrier, single
    {
#pragma omp task  // here: task, task create
      { Work(7); }
#pragma omp task untied  // here: task, task create
      Work(8);
#pragma omp taskwait   // here: taskwait
#pragma omp taskyield  // here: gcc taskyield
#pragma omp taskgroup  // here: taskgroup, taskwait
      {
#pragma omp task  // here: task, task create
        Work(9);
      }
#pragma omp taskloop grainsize(4)  // here: task, taskloop, taskwait, clang taskgroup
      for (int i = 0; i < 8; ++i) {
        Work(i);
      }
    }
#pragma omp barrier  // here: barrier
#pragma omp barrier  // here: barrier
    // clang-format off
    Work(3); _Pragma("omp barrier") Work(3); _Pragma("omp barrier") Work(4);  // here: barrier, barrier
    // clang-format on
    sum += mine;
  }
#pragma omp parallel for schedule(static) reduction(+ : sum)  // here: implicit barrier, parallel, clang for static
  for (int i = 0; i < 8; ++i) {
    sum += i;
  }
#pragma omp parallel for /* here: for dynamic, implicit barrier, parallel */ \
    schedule(dynamic) \
    reduction(+ : sum)
  for (int i = 0; i < 8; ++i) {
    sum += i;
  }
#pragma omp parallel for ordered(1) schedule(dynamic)  // here: for doacross, implicit barrier, parallel
  for (int i = 1; i < 8; ++i) {
#pragma omp ordered depend(sink : i - 1)  // here: ordered wait
    Work(i);
#pragma omp ordered depend(source)
  }
#pragma omp parallel sections  // here: implicit barrier, parallel, sections
  {
#pragma omp section
    Work(3);
#pragma omp section
    Work(4);
  }
#pragma omp parallel  // here: implicit barrier, parallel
  {
#pragma omp single  // here: implicit barrier, single
    { Work(3); }
    Work(2);
  }
#pragma omp parallel  // here: implicit barrier, parallel
  {
#pragma omp for  // here: implicit barrier, clang for static
    for (int i = 0; i < 8; ++i) {
      Work(i);
    }
    Work(2);
  }
  // clang-format off
#pragma omp parallel  // here: implicit barrier, parallel
  {
#pragma omp for  // here: implicit barrier, clang for static
    for (int i = 0; i < 8; ++i) Work(i);
#pragma omp single nowait  // here: single
    { Work(3); }
#pragma omp barrier  // here: barrier
    Work(2);
  }
  // clang-format on
  // The last construct of its function has all of its code in another one.
#pragma omp parallel  // here: implicit barrier, parallel
  // clang-format off
#pragma omp single nowait  // here: single
  {
    Work(1);
#pragma omp taskwait  // here: taskwait
#pragma omp taskloop grainsize(4)  // here: task, taskloop, taskwait, clang taskgroup
    for (int i = 0; i < 8; ++i) Work(i);
  }
  // clang-format on
  printf("%ld %ld\n", sum, total);
  return fat > 100;
}
