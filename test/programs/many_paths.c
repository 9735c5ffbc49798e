// SPDX-License-Identifier: BSD-3-Clause
// Exactly as many call paths as one likes.     many_paths [PATHS]
//
// Each number from 1 to PATHS is walked down in its binary digits: One for the leading one, below it Zero or One for
// every digit that follows. A number without its last digit is itself among them, so there are PATHS call paths below
// main, and the call path of number n is visited by all numbers that begin with its digits.
#include <stdio.h>
#include <stdlib.h>

static long visits;

void Next(long number, int digits);

__attribute__((noinline)) void Zero(long number, int digits) {
  ++visits;
  Next(number, digits);
}

__attribute__((noinline)) void One(long number, int digits) {
  ++visits;
  Next(number, digits);
}

// Not a call path of its own.
__attribute__((always_inline, no_instrument_function)) inline void Next(long number, int digits) {
  if (digits == 0) return;
  if (number >> (digits - 1) & 1)
    One(number, digits - 1);
  else
    Zero(number, digits - 1);
}

int main(int argc, char** argv) {
  const long paths = argc > 1 ? atol(argv[1]) : 5000;
  for (long number = 1; number <= paths; ++number) {
    int digits = 0;
    while (number >> digits) ++digits;
    Next(number, digits);
  }
  printf("paths %ld visits %ld\n", paths, visits);
  return 0;
}
