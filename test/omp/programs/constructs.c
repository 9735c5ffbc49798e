// SPDX-License-Identifier: BSD-3-Clause
// Every construct, counted by the program itself: "count KIND N" lines tell the counts that a profile must have.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 5, kMostKinds = 32 };

static struct {
  const char* kind;
  long count;
} counts[kMostKinds];

static void Count(const char* kind, long more) {
  for (int i = 0; i < kMostKinds; ++i) {
    const char* none = NULL;
    __atomic_compare_exchange_n(&counts[i].kind, &none, kind, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (strcmp(counts[i].kind, kind) != 0) continue;
    __atomic_fetch_add(&counts[i].count, more, __ATOMIC_SEQ_CST);
    return;
  }
}

static volatile double sink;
static void Work(int n) {
  for (int i = 0; i < n * 100; ++i) sink = sink + i;
}

static void Loops(int n, unsigned long long many) {
#pragma omp parallel
  {
    Count("parallel", 1);
    Count("for dynamic", 3);
    Count("for guided", 1);
    Count("for runtime", 1);
    Count("implicit barrier", 5);  // one of them is the region's
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) Work(1);
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < n; ++i) Work(1);
#pragma omp for schedule(dynamic) nowait
    for (unsigned long long i = 0; i < many; ++i) Work(1);
#pragma omp for schedule(guided)
    for (int i = n; i > 0; --i) Work(1);
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; i += 2) Work(1);
    Work(1);
  }
}

static void CombinedLoops(int n) {
  const int threads = omp_get_max_threads();
  Count("parallel", 5 * threads);
  Count("for dynamic", 2 * threads);
  Count("for guided", threads);
  Count("for runtime", threads);
  Count("sections", threads);
  Count("implicit barrier", 5 * threads);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 20; ++i) Work(1);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) Work(1);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 20; ++i) Work(1);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 20; ++i) Work(1);
#pragma omp parallel sections
  {
#pragma omp section
    Work(1);
#pragma omp section
    Work(2);
  }
}

static void Ordered(int n) {
  int order[64];
#pragma omp parallel
  {
    Count("parallel", 1);
    Count("for ordered", 1);
    Count("for doacross", 1);
    Count("implicit barrier", 3);
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < n; ++i) {
      Work(1);
#pragma omp ordered
      {
        Count("ordered", 1);
        Count("ordered block", 1);
        Work(1);
      }
    }
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      order[i] = i;
      Work(1);
#pragma omp ordered depend(source)
    }
    Work(1);
  }
  sink = order[n - 1];
}

static void Exclusion(int n) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  {
    Count("parallel", 1);
    Count("implicit barrier", 1);
    for (int i = 0; i < n; ++i) {
#pragma omp critical
      {
        Count("critical", 1);
        Count("critical block", 1);
        Work(1);
      }
#pragma omp critical(name)
      {
        Count("critical", 1);
        Count("critical block", 1);
      }
      Count("omp_set_lock", 1);
      omp_set_lock(&lock);
      Work(1);
      omp_unset_lock(&lock);
      Count("omp_test_lock", 1);
      if (omp_test_lock(&lock)) omp_unset_lock(&lock);
      Count("omp_set_nest_lock", 2);
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
    }
    Count("barrier", 1);
#pragma omp barrier
    Work(1);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static void Singles(void) {
#pragma omp parallel
  {
    int value = 0;
    Count("parallel", 1);
    Count("sections", 1);
#pragma omp single
    {
      Count("single", 1);
      Work(3);
    }
#pragma omp single copyprivate(value)
    {
      Count("single", 1);
      value = 7;
    }
#pragma omp sections
    {
#pragma omp section
      Work(1);
#pragma omp section
      Work(2);
#pragma omp section
      Work(3);
    }
    if (value != 7) abort();
    Work(1);
  }
}

static long Fibonacci(int n) {
  long a, b;
  if (n < 2) return n;
  Count("task create", 2);
#pragma omp task shared(a)
  {
    Count("task", 1);
    a = Fibonacci(n - 1);
  }
#pragma omp task shared(b) if (n > 4)
  {
    Count("task", 1);
    b = Fibonacci(n - 2);
  }
  Count("taskwait", 1);
#pragma omp taskwait
  return a + b;
}

static void Tasks(int n) {
  int done = 0, chain = 0;
#pragma omp parallel
  {
    Count("parallel", 1);
#pragma omp single
    {
      Count("single", 1);
      if (Fibonacci(10) != 55) abort();
      Count("taskgroup", 1);
      Count("taskwait", 1);
#pragma omp taskgroup
      {
        for (int i = 0; i < n; ++i) {
          Count("task create", 1);
#pragma omp task
          {
            Count("task", 1);
            Work(1);
#pragma omp atomic
            ++done;
          }
        }
      }
      if (done != n) abort();
      for (int i = 0; i < n; ++i) {
        Count("task create", 1);
#pragma omp task depend(inout : chain) firstprivate(i)
        {
          Count("task", 1);
          if (chain++ != i) abort();
        }
      }
      Count("taskloop", 1);
      Count("taskwait", 1);
      long sum = 0;
#pragma omp taskloop num_tasks(4) shared(sum)
      for (int i = 0; i < 40; ++i) {
#pragma omp atomic
        sum += i;
        if (i % 10 == 0) Count("task", 1);
      }
      if (sum != 780) abort();
    }
  }
  if (chain != n) abort();
}

static void Nested(int n) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    Count("parallel", 1);
    Count("implicit barrier", 1);
#pragma omp parallel num_threads(2)
    {
      Count("parallel", 1);
      Count("implicit barrier", 1);
      Work(20 * n);
    }
  }
#pragma omp parallel if (0)
  {
    Count("parallel", 1);
    Work(20 * n);
  }
  Count("implicit barrier", 1);
}

int main(int argc, char** argv) {
  const int n = argc > 2 ? atoi(argv[2]) : 20;
  const char* only = argc > 1 ? argv[1] : "all";
  for (int i = 0; i < kRounds; ++i) {
    if (strcmp(only, "loops") == 0) Loops(n, (unsigned long long)n);
    if (strcmp(only, "combined") == 0) CombinedLoops(n);
    if (strcmp(only, "ordered") == 0) Ordered(n);
    if (strcmp(only, "exclusion") == 0) Exclusion(n);
    if (strcmp(only, "singles") == 0) Singles();
    if (strcmp(only, "tasks") == 0) Tasks(n);
    if (strcmp(only, "nested") == 0) Nested(n);
  }
  for (int i = 0; i < kMostKinds && counts[i].kind != NULL; ++i)
    printf("count %s %ld\n", counts[i].kind, counts[i].count);
  return 0;
}
