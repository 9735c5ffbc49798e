// SPDX-License-Identifier: BSD-3-Clause
// Throws the dice of examples/metric_plugin, which is linked to it: ROUNDS.
#include <stdlib.h>

void dice_throw(unsigned eyes);

__attribute__((noinline, noclone)) void throws(int times, unsigned eyes) {
  for (int i = 0; i < times; ++i) dice_throw(eyes);
}

int main(int argc, char** argv) {
  throws(3, 5);
  dice_throw(2);
  throws(4, 6);
  dice_throw(1);
  for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; --i) {
    throws(1, 6);
    dice_throw(1);
  }
  return 0;
}
