// SPDX-License-Identifier: BSD-3-Clause
// Groups that are switched while calls of them are open, are jumped over, run in threads, or come later.     switched
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epik/epik.h"

#define APART __attribute__((noinline))

static volatile int sink;
static jmp_buf landing;
static pthread_barrier_t meeting;

APART void tiny(int i) { sink += i; }
APART void many(int n) {
  for (int i = 0; i < n; ++i) tiny(i);
}

// Off from the call with n == off to that with n == on; and, when they are negative, on the way back.
APART void nest(int n, int off, int on) {
  volatile char grown[(n & 1) ? 16 : 4096];  // the exit's hook may be anywhere on the stack
  grown[0] = (char)n;
  if (n == off) epik_group_disable("nest");
  if (n == on) epik_group_enable("nest");
  tiny(n);
  if (n > 0) nest(n - 1, off, on);
  if (n == -off) epik_group_disable("nest");
  if (n == -on) epik_group_enable("nest");
  sink += grown[0];
}

// Calls in two steps, so that calls that are off and on alternate.
APART void odd(int n);
APART void even(int n) {
  tiny(n);
  if (n == 3) epik_group_disable("even");
  if (n > 0) odd(n - 1);
}
APART void odd(int n) {
  if (n == 0) longjmp(landing, 1);
  even(n);
}

static void in_step(void) {
  pthread_barrier_wait(&meeting);
  pthread_barrier_wait(&meeting);
}

APART void* work(void* arg) {
  for (int round = 0; round < 3; ++round) {
    many(100);
    in_step();
  }
  return arg;
}

static void threads(void) {
  pthread_t thread[3];
  pthread_barrier_init(&meeting, NULL, 4);
  for (int i = 0; i < 3; ++i) pthread_create(&thread[i], NULL, work, NULL);
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_wait(&meeting);
    if (round == 0) epik_group_disable("tiny");
    if (round == 1) epik_group_enable("tiny");
    pthread_barrier_wait(&meeting);
  }
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
}

APART void nest_from(int n) { nest(n, 99, 99); }

static int over, beats;

APART void* hammer(void* arg) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    nest_from(5);
    __atomic_fetch_add(&beats, 1, __ATOMIC_RELAXED);
  }
  return arg;
}

// The threads never wait, and may be at any place when a group is switched.
static void race(void) {
  pthread_t thread[2];
  for (int i = 0; i < 2; ++i) pthread_create(&thread[i], NULL, hammer, NULL);
  for (int i = 0; i < 300; ++i) {
    epik_group_disable(i % 2 ? "nest" : "tiny");
    many(20);
    const int seen = __atomic_load_n(&beats, __ATOMIC_RELAXED);
    while (__atomic_load_n(&beats, __ATOMIC_RELAXED) - seen < 3) sched_yield();
    epik_group_enable(i % 3 ? "nest" : "tiny");
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; ++i) pthread_join(thread[i], NULL);
}

EPIK_USER_REG(marked, "marked");

static void regions(int n) {
  for (int i = 0; i < n; ++i) {
    EPIK_USER_START(marked);
    EPIK_PARAMETER("size", 7);
    tiny(i);
    if (i == 1) EPIK_GROUP_DISABLE("user");
    EPIK_USER_END(marked);  // and the parameter with it
    EPIK_GROUP_ENABLE("user");
  }
  EPIK_GROUP_DISABLE("region=mar*");
  for (int i = 0; i < n; ++i) {
    EPIK_USER_START(marked);
    tiny(i);
    EPIK_USER_END(marked);
  }
}

static void library(const char* name) {
  epik_group_disable("library_tiny");
  void* loaded = dlopen(name, RTLD_NOW);
  if (loaded == NULL) exit(1);
  int (*run)(int) = (int (*)(int))dlsym(loaded, "library_run");
  for (int i = 0; i < 10; ++i) run(i);
  epik_group_enable("library_tiny");
  for (int i = 0; i < 5; ++i) run(i);
  epik_group_disable("object=liblate.so");
  run(1);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const char* name = argc > 2 ? argv[2] : "";
  if (strcmp(what, "group") == 0) {
    many(50);
    epik_group_disable(name);
    many(30);
    epik_group_enable(name);
    many(20);
    epik_group_enable("no such thing");
  }
  if (strcmp(what, "nest") == 0) nest(8, atoi(name), atoi(argv[3]));
  if (strcmp(what, "jump") == 0) {
    if (setjmp(landing) == 0) even(7);
    many(2);
  }
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "race") == 0) race();
  if (strcmp(what, "regions") == 0) regions(4);
  if (strcmp(what, "library") == 0) library(name);
  if (strcmp(what, "last") == 0) {  // the group that was switched last decides
    epik_group_disable("t*");
    many(10);
    epik_group_enable("region=*y");
    many(5);
    epik_group_disable("t*");
    many(3);
    epik_group_enable("t*");
    epik_group_enable("main");
    epik_group_disable("main");
    many(2);
  }
  if (strcmp(what, "exit") == 0) {
    epik_group_disable("many");
    nest(2, 1, 99);
    exit(0);
  }
  printf("done\n");
  return 0;
}
