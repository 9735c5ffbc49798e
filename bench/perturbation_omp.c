/* SPDX-License-Identifier: BSD-3-Clause
   Programs of OpenMP that measuring perturbs: small functions, called all the time, between constructs that threads
   wait in. Prints the seconds that the loop of ROUNDS took.
     perturbation_omp WHAT ROUNDS CALLS [STEPS]
   STEPS: how much the tiny function of the first five does, 8 steps of a nanosecond without it.
   barriers, locks, ordered, dynamic, tasks: a tiny function between these. loop3, loop4, loop17: the Livermore loops of
   these numbers as DOACROSS loops, strips of an iteration space whose carried part is done in order, the programs of
   the paper of 1991. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT __attribute__((no_instrument_function))
#define SMALL __attribute__((noinline))

enum { kStrips = 64, kMost = 1 << 16 };
static int rounds, steps;
static long calls;
static double x[kMost + 8], y[kMost + 8], z[kMost + 8], w[kMost + 8];
static __thread volatile double sink; /* so that nothing is left out */

SMALL double step(unsigned* seed) {
  for (int i = 0; i < steps; ++i) *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24);
}

static double work(long count, unsigned seed) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum += step(&seed);
  return sum;
}

/* The first thread has twice the work of the others. */
static long mine(long count) { return omp_get_thread_num() == 0 ? count : count / 2; }

static void barriers(void) {
#pragma omp parallel
  for (int r = 0; r < rounds; ++r) {
    sink = work(mine(calls), (unsigned)r);
#pragma omp barrier
  }
}

static void locks(void) {
  double sum = 0;
#pragma omp parallel
  for (int r = 0; r < rounds; ++r) {
    const double own = work(mine(calls), (unsigned)r);
#pragma omp critical
    sum += own + work(calls / 4, (unsigned)r);
  }
  sink = sum;
}

static void ordered(void) {
  double sum = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (int r = 0; r < rounds; ++r) {
    const double own = work(calls, (unsigned)r);
#pragma omp ordered
    sum += own + work(calls / 4, (unsigned)r);
  }
  sink = sum;
}

static void dynamic(void) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int r = 0; r < rounds; ++r) sum += work(r % 4 == 0 ? 2 * calls : calls, (unsigned)r);
  sink = sum;
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < rounds; ++r) {
#pragma omp task
    sink = work(r % 4 == 0 ? 2 * calls : calls, (unsigned)r);
  }
}

/* Loop 3, inner product: q += z[k] · x[k]. */
SMALL double product(long k) { return z[k] * x[k]; }

static void loop3(void) {
  const long strip = calls < kMost / kStrips ? calls : kMost / kStrips;
  for (int r = 0; r < rounds; ++r) {
    double q = 0;
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int s = 0; s < kStrips; ++s) {
      double own = 0;
      for (long k = s * strip; k < (s + 1) * strip; ++k) own += product(k);
#pragma omp ordered depend(sink : s - 1)
      q += own;
#pragma omp ordered depend(source)
    }
    sink = q;
  }
}

/* Loop 4, banded linear equations: x[k - 1] = y[4] · (x[k - 1] - sum of x[l] · y[j], every fifth j). */
SMALL double term(long l, long j) { return x[l] * y[j]; }

static void loop4(void) {
  const long strip = calls < kMost / 5 / kStrips ? calls : kMost / 5 / kStrips;
  for (int r = 0; r < rounds; ++r) {
    double temp = x[0];
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int s = 0; s < kStrips; ++s) {
      double own = 0;
      for (long k = s * strip; k < (s + 1) * strip; ++k) own += term(k, 4 + 5 * k);
#pragma omp ordered depend(sink : s - 1)
      temp -= own;
#pragma omp ordered depend(source)
    }
    w[0] = y[4] * temp;
    sink = w[0];
  }
}

/* Loop 17, implicit conditional computation: the value of an element depends on a condition of the one before it. The
   products are independent, the choice is carried. */
SMALL double candidate(long k) { return x[k] * 0.3 + y[k]; }
SMALL double chosen(double xnm, double e3, double xnei, long k) {
  const double xnc = 5.0 / 3.0 * e3;
  if (xnm > xnc || xnei > xnc) return xnm * z[k] + w[k];
  return e3 + e3 - xnm;
}

static void loop17(void) {
  const long strip = calls < kMost / kStrips ? calls : kMost / kStrips;
  static double e3[kMost];
  for (int r = 0; r < rounds; ++r) {
    double xnm = 1.0 / 3.0;
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int s = 0; s < kStrips; ++s) {
      for (long k = s * strip; k < (s + 1) * strip; ++k) e3[k] = candidate(k);
#pragma omp ordered depend(sink : s - 1)
      for (long k = s * strip; k < (s + 1) * strip; k += 8) xnm = chosen(xnm, e3[k], y[k], k);
#pragma omp ordered depend(source)
    }
    sink = xnm;
  }
}

OUT int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } kPrograms[] = {{"barriers", barriers}, {"locks", locks}, {"ordered", ordered}, {"dynamic", dynamic},
                   {"tasks", tasks},       {"loop3", loop3}, {"loop4", loop4},     {"loop17", loop17}};
  const char* what = argc > 1 ? argv[1] : "barriers";
  rounds = argc > 2 ? atoi(argv[2]) : 20;
  calls = argc > 3 ? atol(argv[3]) : 1000;
  steps = argc > 4 ? atoi(argv[4]) : 8;
  for (int i = 0; i < kMost; ++i) {
    x[i] = 1.0 / (i + 3);
    y[i] = 0.5 / (i + 7);
    z[i] = w[i] = 1.0 / (i + 5);
  }
  sink = 0;
#pragma omp parallel
  sink = work(1, 1); /* the team is there */
  for (size_t p = 0; p < sizeof kPrograms / sizeof *kPrograms; ++p) {
    if (strcmp(kPrograms[p].name, what) != 0) continue;
    const double begin = omp_get_wtime();
    kPrograms[p].run();
    printf("%.9f\n", omp_get_wtime() - begin);
    return 0;
  }
  fprintf(stderr, "perturbation_omp: no program is called %s\n", what);
  return 2;
}
