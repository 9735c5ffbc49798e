// SPDX-License-Identifier: BSD-3-Clause
// Threads, each of which main joins.
#include <pthread.h>

void leaf(void) {}
void* work(void* none) {
  for (int i = 0; i < 10; ++i) leaf();
  return none;
}

int main(void) {
  pthread_t threads[3];
  for (int t = 0; t < 3; ++t) pthread_create(&threads[t], NULL, work, NULL);
  for (int t = 0; t < 3; ++t) pthread_join(threads[t], NULL);
  return 0;
}
