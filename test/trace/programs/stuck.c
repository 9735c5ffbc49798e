/* SPDX-License-Identifier: BSD-3-Clause */
/* Short calls, and one that never ends: SIGKILL comes in it. */
#include <signal.h>
#include <unistd.h>

volatile int sink;

__attribute__((no_instrument_function)) static void Kill(int number) {
  (void)number;
  kill(getpid(), SIGKILL);
}

__attribute__((noinline)) void Short(void) { ++sink; }

__attribute__((noinline)) void Stuck(void) {
  Short();
  signal(SIGALRM, Kill);
  ualarm(30000, 0);
  for (;;) pause();
}

int main(void) {
  for (int i = 0; i < 1000; ++i) Short();
  Stuck();
  return 0;
}
