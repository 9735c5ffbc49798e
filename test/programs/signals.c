// SPDX-License-Identifier: BSD-3-Clause
// A signal handler that calls functions while functions are called.     signals [TICKS [CALLS [altstack]]]
//
// The handler runs exactly TICKS times (it starts its timer again itself), Work is called exactly CALLS times; only the
// places at which ticks interrupt work differ. altstack: the handler has a stack of its own, elsewhere in memory.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { kPeriodMicroseconds = 200 };

static volatile sig_atomic_t ticks;
static int wanted_ticks;
static volatile long handled, worked;

__attribute__((noinline)) void StartTimer(void) {
  const struct itimerval once = {{0, 0}, {0, kPeriodMicroseconds}};
  setitimer(ITIMER_REAL, &once, NULL);
}

__attribute__((noinline)) void HandlerLeaf(void) { ++handled; }

__attribute__((noinline)) void HandlerWork(void) {
  HandlerLeaf();
  HandlerLeaf();
}

void Handler(int signal) {
  (void)signal;
  HandlerWork();
  ticks = ticks + 1;
  if (ticks < wanted_ticks) StartTimer();
}

__attribute__((noinline)) void Leaf(void) { ++worked; }

__attribute__((noinline)) void Work(int depth) {
  Leaf();
  if (depth > 0) Work(depth - 1);
}

// Waits for the ticks that are missing when the work is done.
__attribute__((noinline)) void AwaitTicks(void) {
  sigset_t alarm, before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_BLOCK, &alarm, &before);
  while (ticks < wanted_ticks) sigsuspend(&before);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char** argv) {
  wanted_ticks = argc > 1 ? atoi(argv[1]) : 200;
  const long calls = argc > 2 ? atol(argv[2]) : 2000000;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  if (argc > 3 && strcmp(argv[3], "altstack") == 0) {
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    action.sa_flags |= SA_ONSTACK;
  }
  sigaction(SIGALRM, &action, NULL);
  StartTimer();
  for (long i = 0; i < calls; i += 10) Work(9);
  AwaitTicks();
  printf("ticks %d handled %ld worked %ld\n", (int)ticks, handled, worked);
  return 0;
}
