/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are too deep, on other places of the stack than those around them: after a jump, on stacks that the
   program switches between, in a signal handler with a stack of its own. */
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define OUT __attribute__((no_instrument_function))

enum { kFibers = 40, kStackBytes = 1 << 17, kRounds = 12 };
static jmp_buf back;
static volatile char sink;
static ucontext_t scheduler, fibers[kFibers];
static int done[kFibers];
static int current;

NOINLINE void jump(int how) {
  if (how == 1) jump(2);
  if (how == 2) longjmp(back, 1);
  if (how == 3) {
    char* room = alloca(500 + how);
    memset(room, 1, 500);
    sink = room[7];
  }
}

NOINLINE void after(void) { sink = 1; }

NOINLINE void jumps(void) {
  for (int i = 0; i < 10; ++i) {
    if (setjmp(back) == 0) jump(1);
    jump(3);
    after();
  }
}

OUT static void yield(void) { swapcontext(&fibers[current], &scheduler); }

NOINLINE void middle(int levels) {
  if (levels > 0) middle(levels - 1);
  sink = 2;
}

NOINLINE void deep(int levels) {
  if (levels > 0) {
    deep(levels - 1);
  } else {
    yield();
  }
  middle(levels);
}

NOINLINE void body(void) {
  for (int i = 0; i < kRounds; ++i) {
    deep(3);
    middle(0);
  }
}

OUT static void run(void) {
  body();
  done[current] = 1;
}

NOINLINE void switches(void) {
  for (int f = 0; f < kFibers; ++f) {
    getcontext(&fibers[f]);
    fibers[f].uc_stack.ss_sp = malloc(kStackBytes);
    fibers[f].uc_stack.ss_size = kStackBytes;
    fibers[f].uc_link = &scheduler;
    makecontext(&fibers[f], run, 0);
  }
  for (int left = 1; left;) {
    left = 0;
    for (current = 0; current < kFibers; ++current) {
      if (done[current]) continue;
      left = 1;
      swapcontext(&scheduler, &fibers[current]);
    }
  }
}

NOINLINE void handled(int levels) {
  if (levels > 0) handled(levels - 1);
  if (levels == 1) raise(SIGUSR1);
  sink = 3;
}

NOINLINE void on_signal(int signal) {
  (void)signal;
  handled(0);
}

NOINLINE void signals(void) {
  const stack_t other = {.ss_sp = malloc(kStackBytes), .ss_size = kStackBytes};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 10; ++i) {
    handled(3);
    after();
  }
}

int main(void) {
  jumps();
  switches();
  signals();
  puts("done");
  return 0;
}
