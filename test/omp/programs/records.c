// SPDX-License-Identifier: BSD-3-Clause
// Actions that a trace has records of, counted by the program itself: "count KIND N".
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 4, kTimes = 20, kTasks = 30, kParts = 6 };

static long forks, parts, barriers, acquired, tasks, waits;

static void Add(long* count, long more) { __atomic_fetch_add(count, more, __ATOMIC_SEQ_CST); }

static void Locks(omp_lock_t* lock, omp_nest_lock_t* nest, long double* sum) {
  for (int i = 0; i < kTimes; ++i) {
#pragma omp critical
    Add(&acquired, 1);
#pragma omp critical(named)
    Add(&acquired, 1);
    omp_set_lock(lock);
    Add(&acquired, 1);
    omp_unset_lock(lock);
    if (omp_test_lock(lock)) {
      Add(&acquired, 1);
      omp_unset_lock(lock);
    }
    omp_set_nest_lock(nest);  // the inner two are no acquisitions
    omp_set_nest_lock(nest);
    if (omp_test_nest_lock(nest) != 3) abort();
    Add(&acquired, 1);
    omp_unset_nest_lock(nest);
    omp_unset_nest_lock(nest);
    omp_unset_nest_lock(nest);
    (void)sum;
#ifndef __clang__  // clang asks libatomic for types that are too long for an instruction
#pragma omp atomic
    *sum += 1;
    Add(&acquired, 1);
#endif
  }
}

static void Region(omp_lock_t* lock, omp_nest_lock_t* nest, long double* sum) {
  Add(&forks, 1);
#pragma omp parallel
  {
    Add(&barriers, 3);  // the region's, the loop's, and this one
#pragma omp barrier
    Locks(lock, nest, sum);
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < kTimes; ++i) {
#pragma omp ordered
      Add(&acquired, 1);
    }
    Add(&parts, 1);  // after a loop at the very end, GCC leaves out its barrier
  }
}

static void Nested(void) {
  Add(&forks, 1);
#pragma omp parallel num_threads(2)
  {
    Add(&parts, 1);
    Add(&barriers, 1);
    Add(&forks, 1);
#pragma omp parallel num_threads(2)
    {
      Add(&parts, 1);
      Add(&barriers, 1);
    }
  }
}

static void Tasks(void) {
  Add(&forks, 1);
#pragma omp parallel
  {
    Add(&parts, 1);
    Add(&barriers, 1);
#pragma omp single nowait
    {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task
        {
          Add(&tasks, 1);
#pragma omp task if (i % 3 != 0)
          Add(&tasks, 1);
          Add(&waits, 1);
#pragma omp taskwait
        }
      }
      Add(&waits, 1);
#pragma omp taskloop num_tasks(kParts)
      for (int i = 0; i < 10 * kParts; ++i) {
        if (i % 10 == 0) Add(&tasks, 1);
      }
    }
  }
}

int main(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  long double sum = 0;
  omp_set_max_active_levels(2);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  for (int i = 0; i < kRounds; ++i) {
    Region(&lock, &nest, &sum);
    Nested();
    Tasks();
  }
  printf("count fork %ld\ncount join %ld\ncount team begin %ld\ncount team end %ld\n", forks, forks, parts, parts);
  printf("count barrier %ld\ncount lock acquire %ld\ncount lock release %ld\n", barriers, acquired, acquired);
  printf("count taskloop part %d\n", kRounds * kParts);
  printf("count task create %ld\ncount task begin %ld\ncount task end %ld\n", tasks, tasks, tasks);
  printf("count task wait %ld\n", waits);
  return 0;
}
