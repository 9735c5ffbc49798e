// SPDX-License-Identifier: BSD-3-Clause
// Creates two threads of libc, one after the other, which wait for a mutex, and joins them.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Work(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, Work, NULL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
  }
  return 0;
}
