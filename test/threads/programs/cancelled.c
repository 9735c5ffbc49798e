// SPDX-License-Identifier: BSD-3-Clause
// A thread that is to be cancelled waits for a semaphore that is free. Prints whether it took it.     cancelled
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphore;
static pthread_barrier_t meeting;

static int Wait(long how) {
  const struct timespec until = {1LL << 33, 0};
  switch (how) {
    case 0: return sem_wait(&semaphore);
    case 1: return sem_timedwait(&semaphore, &until);
    default: return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until);
  }
}

static void* Run(void* how) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_barrier_wait(&meeting);
  pthread_barrier_wait(&meeting);  // the request is there now
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  Wait((long)how);
  return NULL;
}

int main(void) {
  const char* const names[] = {"sem_wait", "sem_timedwait", "sem_clockwait"};
  pthread_barrier_init(&meeting, NULL, 2);
  for (long how = 0; how < 3; ++how) {
    sem_init(&semaphore, 0, 5);
    pthread_t thread;
    void* result;
    pthread_create(&thread, NULL, Run, (void*)how);
    pthread_barrier_wait(&meeting);
    pthread_cancel(thread);
    pthread_barrier_wait(&meeting);
    pthread_join(thread, &result);
    int left;
    sem_getvalue(&semaphore, &left);
    printf("%s: %s, %d left\n", names[how], result == PTHREAD_CANCELED ? "cancelled" : "taken", left);
  }
  return 0;
}
