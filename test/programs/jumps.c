// SPDX-License-Identifier: BSD-3-Clause
// Frames that are left without an exit: longjmp from nested depth, again and again, over other frames with their own
// landing place, and siglongjmp out of a signal handler.     jumps [ROUNDS]
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf outer, inner;
static sigjmp_buf from_handler;
static volatile int armed = 1;  // volatile: the compiler must not know that the call never returns
static volatile long landed;
static volatile long worked;

__attribute__((noinline)) void Work(void) { ++worked; }

__attribute__((noinline)) void Jump(jmp_buf where) {
  if (armed) longjmp(where, 1);
}

__attribute__((noinline)) void JumpFrom(int depth, jmp_buf where) {
  Work();
  if (depth == 0)
    Jump(where);
  else
    JumpFrom(depth - 1, where);
  Work();  // never
}

__attribute__((noinline)) void LandInside(int depth) {
  if (setjmp(inner) == 0) {
    JumpFrom(depth, inner);
  } else {
    ++landed;
    Work();
  }
}

__attribute__((noinline)) void LandOutside(int depth) {
  if (setjmp(outer) == 0) {
    LandInside(depth);
    JumpFrom(depth, outer);
  } else {
    ++landed;
    Work();
  }
}

void Handler(int signal) {
  Work();
  siglongjmp(from_handler, signal);
}

__attribute__((noinline)) void Interrupted(int depth) {
  if (depth == 0)
    raise(SIGUSR1);
  else
    Interrupted(depth - 1);
  Work();  // never
}

__attribute__((noinline)) void LandFromSignal(int depth) {
  if (sigsetjmp(from_handler, 1) == 0) {
    Interrupted(depth);
  } else {
    ++landed;
    Work();
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  signal(SIGUSR1, Handler);
  for (int round = 0; round < rounds; ++round) {
    LandOutside(round % 20);
    LandFromSignal(round % 20);
    Work();
  }
  printf("landed %ld worked %ld\n", landed, worked);
  return 0;
}
