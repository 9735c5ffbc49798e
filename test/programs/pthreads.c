// SPDX-License-Identifier: BSD-3-Clause
// Unusual but legal actions of threads: leave from nested frames, be cancelled, call functions from the destructors of
// their thread-specific data, run on after main has forgotten them. pthreads [CALLS]
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t key;
static atomic_long counted;
static atomic_int reached;
static volatile int armed = 1;  // volatile: the compiler must not know that the call never returns

__attribute__((noinline)) void Count(long n) { counted += n; }

void AtThreadEnd(void* value) { Count((long)value); }

void CleanUp(void* value) { Count((long)value); }

__attribute__((noinline)) void Leave(void) {
  if (armed) pthread_exit((void*)7L);
}

__attribute__((noinline)) void LeaveFrom(int depth) {
  if (depth == 0)
    Leave();
  else
    LeaveFrom(depth - 1);
  Count(1000000);  // never
}

void* Leaver(void* calls) {
  pthread_setspecific(key, (void*)10L);
  for (long i = 0; i < (long)calls; ++i) Count(1);
  LeaveFrom(3);
  return NULL;
}

void* Returner(void* calls) {
  pthread_setspecific(key, (void*)20L);
  for (long i = 0; i < (long)calls; ++i) Count(1);
  return (void*)8L;
}

__attribute__((noinline)) void WaitForever(void) {
  reached = 1;
  for (;;) pause();
}

void* Cancelled(void* unused) {
  pthread_cleanup_push(CleanUp, (void*)30L);
  WaitForever();
  pthread_cleanup_pop(0);
  return unused;
}

// Still there when main returns.
void* Sleeper(void* unused) {
  Count(40);
  reached = 2;
  for (;;) pause();
  return unused;
}

int main(int argc, char** argv) {
  void* calls = (void*)(argc > 1 ? atol(argv[1]) : 100L);
  pthread_key_create(&key, AtThreadEnd);
  pthread_t threads[4];
  void* results[3];
  pthread_create(&threads[0], NULL, Leaver, calls);
  pthread_create(&threads[1], NULL, Returner, calls);
  pthread_create(&threads[2], NULL, Cancelled, NULL);
  while (reached != 1) usleep(100);
  pthread_cancel(threads[2]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], &results[i]);
  pthread_create(&threads[3], NULL, Sleeper, NULL);
  while (reached != 2) usleep(100);
  printf("results %ld %ld %d\n", (long)results[0], (long)results[1], results[2] == PTHREAD_CANCELED);
  printf("counted %ld\n", counted);
  return 0;
}
