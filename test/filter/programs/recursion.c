/* SPDX-License-Identifier: BSD-3-Clause */
/* Two functions that call each other twice: the call paths double with each level.     recursion [LEVELS [END]] */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned sink;
static unsigned long evens, odds, leaves;

void Odd(int level);

static void Leaf(int level) {
  ++leaves;
  for (int i = 0; i < 20 + level; ++i) sink += (unsigned)i;
}

void Even(int level) {
  ++evens;
  for (int i = 0; i < 40; ++i) sink += (unsigned)i;
  if (level % 3 == 0) Leaf(level);
  if (level < 2) return;
  Odd(level - 1);
  Even(level - 2);
}

void Odd(int level) {
  ++odds;
  if (level < 2) return;
  Even(level - 1);
  Leaf(level);
  Odd(level - 2);
}

static int Say(const char* end) {
  printf("Even %lu\nOdd %lu\nLeaf %lu\n", evens, odds, leaves);
  fflush(stdout);
  if (strcmp(end, "kill") == 0) kill(getpid(), SIGKILL);
  return 0;
}

int main(int argc, char** argv) {
  const int levels = argc > 1 ? atoi(argv[1]) : 12;
  for (int i = 0; i < 3; ++i) Leaf(i);
  Even(levels);
  Odd(levels - 1);
  return Say(argc > 2 ? argv[2] : "");
}
