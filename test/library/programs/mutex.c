// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for a mutex which each of them keeps for a while.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* none) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&mutex);
    usleep(2000);
    pthread_mutex_unlock(&mutex);
  }
  return none;
}

int main(void) {
  pthread_t threads[3];
  for (int t = 0; t < 3; ++t) pthread_create(&threads[t], NULL, work, NULL);
  for (int t = 0; t < 3; ++t) pthread_join(threads[t], NULL);
  return 0;
}
