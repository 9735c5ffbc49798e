/* SPDX-License-Identifier: BSD-3-Clause
   Waits for tasks, of known kinds, and a thread that is idle. Each thread notes when it came to each place of waiting,
   and when its task began and ended. The names of functions tell where the time passed. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

enum { kLong = 60 }; /* milliseconds */
static FILE* log_file;
static volatile int started;

OUT static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

OUT static void rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

OUT static void note(const char* name, long long begin) {
#pragma omp critical(notes)
  fprintf(log_file, "%s %d %lld %lld\n", name, omp_get_thread_num(), begin, now());
}

static void prepare(void) { rest(kLong); }
static void work(void) {
  const long long begin = now();
  started = 1;
  rest(kLong);
  fprintf(log_file, "work %d %lld %lld\n", omp_get_thread_num(), begin, now());
}
static void alone(void) {
  const long long begin = now();
  rest(kLong);
  fprintf(log_file, "alone 0 %lld %lld\n", begin, now());
}

/* Thread 1 waits in the barrier until thread 0 creates a task; thread 0 then waits for that. */
static void waits_for_child(void) {
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      prepare();
      note("created", now());
#pragma omp task
      work();
      while (!started) rest(1);
      const long long begin = now();
#pragma omp taskwait
      note("taskwait", begin);
    } else {
      note("comes", now());
    }
  }
}

/* Thread 0 waits at the end of the group for the task that thread 1 runs. */
static void waits_for_group(void) {
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      long long begin;
#pragma omp taskgroup
      {
#pragma omp task
        work();
        while (!started) rest(1);
        begin = now();
      }
      note("taskgroup", begin);
    }
  }
}

/* Thread 0 has no work until thread 1 has done its part. */
static void part(void) {
  const long long begin = now();
  if (omp_get_thread_num() == 0) {
    while (!started) rest(1);
  } else {
    started = 1;
    rest(kLong);
  }
  note("part", begin);
}

static void waits_for_parts(void) {
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      const long long begin = now();
#pragma omp taskloop num_tasks(2)
      for (int i = 0; i < 2; ++i) part();
      note("taskloop", begin);
    }
  }
}

/* Thread 1 runs the task; thread 0 comes to the barrier, and there is no work. */
static void waits_in_barrier(void) {
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task
      work();
      while (!started) rest(1);
      note("last", now());
    }
  }
}

static void do_little(void) {}

/* Thread 0 runs the task itself, and waits until thread 1 fulfils its event. */
static void finish(omp_event_handle_t event) {
  const long long begin = now();
  rest(kLong);
  note("finish", begin);
  omp_fulfill_event(event);
}

static void waits_for_detached(void) {
  static volatile omp_event_handle_t event;
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_event_handle_t its;
#pragma omp task detach(its)
      do_little();
      event = its;
      const long long begin = now();
      started = 1;
#pragma omp taskwait
      note("detached", begin);
    } else {
      while (!started) rest(1);
      finish(event);
    }
  }
}

#ifndef __clang__
/* Makes a task that other tasks need. Returns the time when another thread has begun it. */
__attribute__((no_instrument_function)) static long long make_needed(int* x) {
#pragma omp task depend(out : *x)
  work();
  while (!started) rest(1);
  return now();
}

/* libomp does not report these waits. Thread 0 waits for the task that it names. */
static void waits_for_named(void) {
  int x = 0;
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      const long long begin = make_needed(&x);
#pragma omp taskwait depend(in : x)
      note("named", begin);
    }
  }
}

/* The same before it runs a task at once. */
static void waits_for_needed(void) {
  int x = 0;
  started = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      const long long begin = make_needed(&x);
#pragma omp task if (0) depend(inout : x)
      note("needed", begin);
    }
  }
}
#endif

int main(void) {
  log_file = fopen("planted_tasks.log", "w");
  waits_for_child();
  waits_for_group();
  waits_for_parts();
  alone();
  waits_in_barrier();
  waits_for_detached();
#ifndef __clang__
  waits_for_named();
  waits_for_needed();
#endif
  fclose(log_file);
  return 0;
}
