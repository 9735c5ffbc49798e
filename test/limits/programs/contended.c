// SPDX-License-Identifier: BSD-3-Clause
// MUTEXES mutexes, each of which a second thread wants while the first one has it: contended MUTEXES.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t* mutexes;
static int count;
static atomic_int round_of_first, waiter;

// The other thread sleeps: it has found the mutex taken.
static void WaitForWaiter(void) {
  char name[64], state = 0;
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", atomic_load(&waiter));
  while (state != 'S') {
    FILE* file = fopen(name, "r");
    if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1) abort();
    fclose(file);
  }
}

__attribute__((noinline)) void wants(int i) {
  pthread_mutex_lock(&mutexes[i]);
  pthread_mutex_unlock(&mutexes[i]);
}

static void* Second(void* unused) {
  atomic_store(&waiter, (int)syscall(SYS_gettid));
  for (int i = 0; i < count; ++i) {
    while (atomic_load(&round_of_first) != i + 1) {
    }
    wants(i);
    atomic_store(&round_of_first, 0);
  }
  return unused;
}

int main(int argc, char** argv) {
  count = argc > 1 ? atoi(argv[1]) : 1;
  mutexes = calloc((size_t)count, sizeof *mutexes);
  pthread_t second;
  pthread_create(&second, NULL, Second, NULL);
  while (atomic_load(&waiter) == 0) {
  }
  for (int i = 0; i < count; ++i) {
    pthread_mutex_lock(&mutexes[i]);
    atomic_store(&round_of_first, i + 1);
    WaitForWaiter();
    pthread_mutex_unlock(&mutexes[i]);
    while (atomic_load(&round_of_first) != 0) {
    }
  }
  pthread_join(second, NULL);
  free(mutexes);
  return 0;
}
