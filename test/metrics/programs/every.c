// SPDX-License-Identifier: BSD-3-Clause
// A bit of everything that can be counted without permission, on two threads one after the other.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void store(const char* name, size_t bytes) {
  char* data = malloc(bytes);
  if (data == NULL) abort();
  memset(data, 1, bytes);
  FILE* file = fopen(name, "w+");
  if (file == NULL || fwrite(data, 1, bytes, file) != bytes) abort();
  rewind(file);
  if (fread(data, 1, bytes, file) != bytes) abort();
  fclose(file);
  free(data);
}

__attribute__((noinline, noclone)) void pause_and_spin(void) {
  const struct timespec moment = {0, 1000000};
  nanosleep(&moment, NULL);
  for (volatile int i = 0; i < 3000000; ++i) {
  }
}

__attribute__((noinline, noclone)) void work(const char* name, size_t bytes) {
  store(name, bytes);
  pause_and_spin();
  void* kept = malloc(100);  // and lost
  __asm__ volatile("" : : "r"(kept) : "memory");
}

static void* thread(void* unused) {
  work("second", 3000000);
  return unused;
}

int main(void) {
  work("first", 1000000);
  pthread_t one;
  if (pthread_create(&one, NULL, thread, NULL) != 0) return 1;
  pthread_join(one, NULL);
  return 0;
}
