// SPDX-License-Identifier: BSD-3-Clause
// Known numbers of calls, a recursion, jumps over frames, threads.     calls
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static volatile int sink;
static jmp_buf landing;

__attribute__((noinline)) void tiny(int i) { sink += i; }
__attribute__((noinline)) void middle(int n) {
  for (int i = 0; i < n; ++i) tiny(i);
}
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) void deep_jump(int n) {
  if (n == 0) longjmp(landing, 1);
  deep_jump(n - 1);
  sink += n;
}
__attribute__((noinline)) void jumps(void) {
  for (volatile int i = 0; i < 5; ++i) {
    if (setjmp(landing) == 0) deep_jump(4);
  }
}
__attribute__((noinline)) void* work(void* arg) {
  middle(1000);
  return arg;
}

int main(void) {
  middle(500);
  sink += fib(12);
  jumps();
  pthread_t thread[3];
  for (int i = 0; i < 3; ++i) pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  printf("done\n");
  return 0;
}
