// SPDX-License-Identifier: BSD-3-Clause
// The ways a program ends.     early_exit HOW [CALLS]
//
// HOW: return exit _exit quick_exit abort thread_exit main_pthread_exit term segv kill fpe exec
// Before its end the program makes CALLS calls of Work below Outer > Inner, and ends inside Inner.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long worked;
static char** arguments;
static int* volatile nowhere;

__attribute__((noinline)) void Work(void) { ++worked; }

void* Finish(void* unused) {
  usleep(10000);  // main has ended by now, or waits for ever
  exit(6);
  return unused;
}

__attribute__((noinline)) void EndInThread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Finish, NULL);
  for (;;) pause();
}

__attribute__((noinline)) void EndMainOnly(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Finish, NULL);
  pthread_exit(NULL);
}

__attribute__((noinline)) void Crash(void) { *nowhere = 1; }

__attribute__((noinline)) void Become(void) {
  char* again[] = {arguments[0], "return", "5", NULL};
  execv("/proc/self/exe", again);
}

__attribute__((noinline)) void End(const char* how) {
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "quick_exit") == 0) quick_exit(5);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "thread_exit") == 0) EndInThread();
  if (strcmp(how, "main_pthread_exit") == 0) EndMainOnly();
  if (strcmp(how, "term") == 0) raise(SIGTERM);
  if (strcmp(how, "segv") == 0) Crash();
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "fpe") == 0) raise(SIGFPE);
  if (strcmp(how, "exec") == 0) Become();
}

__attribute__((noinline)) void Inner(const char* how, long calls) {
  for (long i = 0; i < calls; ++i) Work();
  printf("worked %ld\n", worked);
  fflush(stdout);
  End(how);
  Work();
}

__attribute__((noinline)) void Outer(const char* how, long calls) {
  Inner(how, calls);
  Work();
}

int main(int argc, char** argv) {
  arguments = argv;
  Outer(argc > 1 ? argv[1] : "return", argc > 2 ? atol(argv[2]) : 1000);
  return 0;
}
