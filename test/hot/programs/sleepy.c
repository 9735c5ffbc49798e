// SPDX-License-Identifier: BSD-3-Clause
// Calls of a tiny function, and then more time asleep: time spent waiting is no measure for the cost of measuring.
#include <unistd.h>

__attribute__((noinline)) int Tiny(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

int main(int argc, char** argv) {
  int x = 0;
  for (int i = 0; i < 3000000; ++i) x = Tiny(x);
  for (char* at = argv[0]; argc > 1 && *at != 0; ++at) *at = 'x';  // the name it was started by is still recorded
  sleep(1);
  return x != 3000000;
}
