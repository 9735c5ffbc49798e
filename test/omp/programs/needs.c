// SPDX-License-Identifier: BSD-3-Clause
// Tasks with random dependences, in every way in which compilers pass them. The program prints the dependences in the
// order of creation: "needs TASK OBJECT HOW", with the numbers that a trace has for HOW; "undeferred" in place of
// "needs" if it runs the task at once.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTasks = 300, kObjects = 5, kIn = 1, kOut, kMutex };

static long objects[kObjects];
static unsigned long next_random = 1;

static unsigned Pick(unsigned n) {
  next_random = next_random * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(next_random >> 33) % n;
}

static void Note(int task, const void* object, int how) {
  printf("needs %d %lu %d\n", task, (unsigned long)object, how);
}

static void Work(int task) {
  for (volatile int i = 0; i < 200 * (task % 7); ++i) continue;
}

// A kind that is not known before the program runs.
static void WithObject(int task, long* a, long* b) {
  omp_depend_t object;
#pragma omp depobj(object) depend(in : *a)
  const int writes = task % 2;
  if (writes) {
#pragma omp depobj(object) update(inout)
  }
  Note(task, b, kOut);
  Note(task, a, writes ? kOut : kIn);
#pragma omp task depend(depobj : object) depend(out : *b)
  Work(task);
#pragma omp depobj(object) destroy
}

static void Create(int task) {
  long* a = &objects[Pick(kObjects)];
  long* b = a == objects ? &objects[kObjects - 1] : a - 1;
  switch (Pick(7)) {
    case 0: Note(task, a, kIn);
#pragma omp task depend(in : *a)
      Work(task);
      break;
    case 1: Note(task, a, kOut);
#pragma omp task depend(out : *a)
      Work(task);
      break;
    case 2: Note(task, b, kOut); Note(task, a, kIn);
#pragma omp task depend(inout : *b) depend(in : *a)
      Work(task);
      break;
    case 3: Note(task, b, kOut); Note(task, a, kMutex);
#pragma omp task depend(mutexinoutset : *a) depend(out : *b)
      Work(task);
      break;
    case 4: WithObject(task, a, b); break;
    case 5: printf("undeferred %d %lu %d\n", task, (unsigned long)a, kOut);
#pragma omp task depend(out : *a) if (0)
      Work(task);
      break;
    default:
#pragma omp task
      Work(task);
  }
}

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int task = 0; task < kTasks; ++task) Create(task);
  return 0;
}
