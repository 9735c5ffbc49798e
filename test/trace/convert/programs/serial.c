/* SPDX-License-Identifier: BSD-3-Clause */
/* As many calls as anyone can tell. */

static volatile unsigned sink;

static unsigned Fib(unsigned n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

static void Spin(unsigned n) {
  for (unsigned i = 0; i < n; ++i) sink += i;
}

int main(void) {
  sink += Fib(12);
  Spin(2000000);
  return 0;
}
