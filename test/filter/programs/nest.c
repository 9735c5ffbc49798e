/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions within functions, with threads, jumps and arrays on the stack between them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#define NI __attribute__((noinline))

static volatile int sink;
static __thread jmp_buf place;

NI static void leaf(int i) { sink += i; }
NI static void branch(int i) {
  leaf(i);
  leaf(i + 1);
}
NI static void trunk(int i) {
  branch(i);
  leaf(i);
  branch(i + 1);
}
NI static int again(int n) {
  if (n == 0) {
    leaf(n);
    return 0;
  }
  const int below = again(n - 1);
  sink += below;
  return below > n ? below : n;
}
/* Its frame grows between its enter and its exit. */
NI static int array(int n) {
  volatile int numbers[n + 1];
  numbers[n] = n;
  leaf(n);
  if (n % 3 == 0 && n != 0) sink += array(n / 2);
  return numbers[n];
}
/* Two functions that call each other, from a depth at which only one of them is measured. */
NI static int ping(int n);
NI static int pong(int n) {
  const int below = n == 0 ? 0 : ping(n - 1);
  leaf(n);
  return below ^ n;
}
NI static int ping(int n) {
  const int below = n == 0 ? 0 : pong(n - 1);
  leaf(n);
  return below ^ n;
}
NI static void jump(int n) {
  if (n == 0) longjmp(place, 1);
  jump(n - 1);
  leaf(n);
}
NI static void lands(int n) {
  if (setjmp(place) == 0) jump(n);
  leaf(n);
}
NI static void deep(int i) {
  trunk(i);
  sink += again(i % 7) + array(i) + ping(i % 5);
  lands(i % 4);
  leaf(i);
}
NI static void* work(void* n) {
  trunk(*(int*)n);
  deep(*(int*)n);
  return NULL;
}
NI static void start(int i) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, &i);
  pthread_join(thread, NULL);
}
NI static void loop(int n) {
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#pragma omp for
#endif
  for (int i = 0; i < n; ++i) deep(i);
}

int main(void) {
  leaf(1);
  for (int i = 0; i < 10; ++i) deep(i);
  for (int i = 0; i < 3; ++i) start(i);
#ifdef _OPENMP
  loop(6);
#else
  (void)loop;
#endif
  printf("done\n");
  return 0;
}
