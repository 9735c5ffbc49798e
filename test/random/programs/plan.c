// SPDX-License-Identifier: BSD-3-Clause
// Carries out the plan in a file: calls, regions of the user's, loops, threads, OpenMP (-fopenmp), MPI (-DWITH_MPI).
//   plan FILE [kill]      kill: the process kills itself when it is done
// A plan is a list of steps, each a letter, a number, and the list of steps within it: "c3{m0{}u1{}}".
//   c: function N   u: region N   l: N times   t: a thread that calls function N   p: N threads of OpenMP   k: a task
//   x: a critical section   m: a free mutex   r: function N that leaves by longjmp   a: MPI_Allreduce   s: a message
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include "epik/epik_user.h"

#define NO_HOOK __attribute__((no_instrument_function))

typedef struct Step {
  char kind;
  int number;
  struct Step *inner, *next;
} Step;

NO_HOOK static Step* Parse(FILE* file) {
  Step *first = NULL, **last = &first;
  char kind;
  int number;
  while (fscanf(file, " %c", &kind) == 1 && kind != '}') {
    Step* step = malloc(sizeof *step);
    if (step == NULL || fscanf(file, "%d {", &number) != 1) exit(2);
    *step = (Step){kind, number, NULL, NULL};
    step->inner = Parse(file);
    *last = step;
    last = &step->next;
  }
  return first;
}

NO_HOOK static void Do(const Step* steps);

#define FUNCTION(n)                                           \
  __attribute__((noinline)) static void F##n(const Step* s) { \
    Do(s);                                                    \
    __asm__ volatile("");                                     \
  }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
static void (*const functions[])(const Step*) = {F0, F1, F2, F3, F4, F5, F6, F7};

EPIK_USER_REG(region0, "U0");
EPIK_USER_REG(region1, "U1");
EPIK_USER_REG(region2, "U2");
#define IN_REGION(n)            \
  case n:                       \
    EPIK_USER_START(region##n); \
    Do(step->inner);            \
    EPIK_USER_END(region##n);   \
    break

NO_HOOK static void InRegion(const Step* step) {
  switch (step->number) {
    IN_REGION(0);
    IN_REGION(1);
    default: IN_REGION(2);
  }
}

NO_HOOK static void* InThread(void* argument) {
  const Step* step = argument;
  functions[step->number](step->inner);
  return NULL;
}

NO_HOOK static void Thread(const Step* step) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, InThread, (void*)step) != 0) exit(2);
  pthread_join(thread, NULL);
}

NO_HOOK static void Parallel(const Step* step) {
#pragma omp parallel num_threads(step->number)
  Do(step->inner);
}

NO_HOOK static void Task(const Step* step) {
#pragma omp task firstprivate(step)
  Do(step->inner);
}

NO_HOOK static void Critical(const Step* step) {
#pragma omp critical
  Do(step->inner);
}

NO_HOOK static void FreeMutex(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static __thread jmp_buf back;

// Its exit is missing, and everything it called has ended.
__attribute__((noinline)) static void Leave(const Step* s) {
  Do(s);
  longjmp(back, 1);
}

NO_HOOK static void Jump(const Step* step) {
  jmp_buf outer;
  __builtin_memcpy(&outer, &back, sizeof outer);
  if (setjmp(back) == 0) Leave(step->inner);
  __builtin_memcpy(&back, &outer, sizeof outer);
}

#ifdef WITH_MPI
NO_HOOK static void Reduce(int count) {
  static int from[64], to[64];
  MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
NO_HOOK static void Send(int count) {
  static char out[64], in[64];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(out, count, MPI_CHAR, (rank + 1) % size, 0, in, count, MPI_CHAR, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#else
NO_HOOK static void Reduce(int count) { (void)count; }
NO_HOOK static void Send(int count) { (void)count; }
#endif

NO_HOOK static void Do(const Step* steps) {
  for (const Step* step = steps; step != NULL; step = step->next) {
    switch (step->kind) {
      case 'c': functions[step->number](step->inner); break;
      case 'u': InRegion(step); break;
      case 'l':
        for (int i = 0; i < step->number; ++i) Do(step->inner);
        break;
      case 't': Thread(step); break;
      case 'p': Parallel(step); break;
      case 'k': Task(step); break;
      case 'x': Critical(step); break;
      case 'm': FreeMutex(); break;
      case 'r': Jump(step); break;
      case 'a': Reduce(step->number); break;
      case 's': Send(step->number); break;
      default: exit(2);
    }
  }
}

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  FILE* file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) return 2;
  const Step* steps = Parse(file);
  fclose(file);
  Do(steps);
  if (argc > 2) kill(getpid(), SIGKILL);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
