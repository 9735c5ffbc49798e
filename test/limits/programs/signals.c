// SPDX-License-Identifier: BSD-3-Clause
// Sends itself each signal twice, with a call of `counts` after each: signals NUMBER...
#include <signal.h>
#include <stdlib.h>

volatile int calls;

__attribute__((noinline)) void counts(void) { ++calls; }

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (int times = 0; times < 2; ++times) {
      raise(atoi(argv[i]));
      counts();
    }
  }
  return 0;
}
