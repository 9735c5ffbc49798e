// SPDX-License-Identifier: BSD-3-Clause
// Many threads want one mutex. Each waits for several holders, one after the other, because a thread sleeps before it
// wants the mutex again. One thread waits for the ends of all.
#include <pthread.h>
#include <time.h>

enum { kThreads = 24, kTurns = 60 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Work(void* unused) {
  for (int turn = 0; turn < kTurns; ++turn) {
    pthread_mutex_lock(&mutex);
    const struct timespec little = {0, 100000};
    nanosleep(&little, NULL);
    pthread_mutex_unlock(&mutex);
    nanosleep(&little, NULL);
  }
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, Work, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
