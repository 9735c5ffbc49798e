// SPDX-License-Identifier: BSD-3-Clause
// Data that gcc's libgomp reads or writes itself before it hands it to the program's function: reductions that tasks
// take part in, bounds of taskloops, events of detached tasks.
#include <omp.h>
#include <stdio.h>

enum { kThreads = 4 };

static long in_region(int to) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(kThreads)
#pragma omp single
  for (int i = 0; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum;
}

static long in_loop(int to) {
  long sum = 0;
#pragma omp parallel for reduction(task, + : sum) num_threads(kThreads)
  for (int i = 0; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum;
}

static long in_dynamic_loop(int to) {
  long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp for schedule(dynamic) reduction(task, + : sum)
  for (int i = 0; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum;
}

static long in_sections(int to) {
  long sum = 0;
#pragma omp parallel sections reduction(task, + : sum) num_threads(kThreads)
  {
    for (int i = 0; i < to / 2; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
#pragma omp section
    for (int i = to / 2; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  return sum;
}

static long in_taskgroup(int to) {
  long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < to; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum;
}

static long in_taskloop(int to) {
  long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(7)
  for (int i = 0; i < to; ++i) sum += i;
  return sum;
}

static long in_taskloop_of_unsigned_long(int to) {
  unsigned long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(13)
  for (unsigned long i = 0; i < (unsigned long)to; ++i) sum += i;
  return (long)sum;
}

static long in_detached_tasks(int to) {
  long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  for (int i = 0; i < to; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(sum) firstprivate(i)
    {
#pragma omp atomic
      sum += i;
      omp_fulfill_event(event);
    }
  }
  return sum;
}

int main(void) {
  long (*const ways[])(int) = {
      in_region,        in_loop, in_dynamic_loop, in_sections, in_taskgroup, in_taskloop, in_taskloop_of_unsigned_long,
      in_detached_tasks};
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i) printf("%ld\n", ways[i](1000));
  return 0;
}
