// SPDX-License-Identifier: BSD-3-Clause
// A thread waits for a semaphore, and has a mutex meanwhile for which it had to wait.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(what) ((what) ? (void)0 : abort())

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int taken;

static void Sleep(void) {
  const struct timespec kTime = {0, 50000000};
  nanosleep(&kTime, NULL);
}

static void* Other(void* nothing) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  __atomic_store_n(&taken, 1, __ATOMIC_SEQ_CST);
  Sleep();
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  Sleep();
  CHECK(sem_post(&semaphore) == 0);
  return nothing;
}

int main(void) {
  pthread_t other;
  CHECK(sem_init(&semaphore, 0, 0) == 0 && pthread_create(&other, NULL, Other, NULL) == 0);
  while (!__atomic_load_n(&taken, __ATOMIC_SEQ_CST)) sched_yield();
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  return 0;
}
