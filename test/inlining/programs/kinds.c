/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are not like others. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "visited.h"

BARE NI int Hidden(int x) { return 3 * x; }

/* Chosen while the program is being loaded: no hook may be called then. */
static int One(int x) { return x + 1; }
static int (*Choose(void))(int) { return One; }
int Chosen(int) __attribute__((ifunc("Choose")));

#ifdef __x86_64__
__attribute__((naked, noinline)) int Naked(int x __attribute__((unused))) { __asm__("mov %edi, %eax; ret"); }
NI int InlineAssembly(int x) {
  VISIT("InlineAssembly");
  int y;
  __asm__ volatile("push %%rbx; mov %1, %%ebx; lea 1(%%rbx), %0; pop %%rbx" : "=&r"(y) : "r"(x));
  return y;
}
NI int AsmGoto(int x) {
  VISIT("AsmGoto");
  __asm__ goto("test %0, %0; jz %l[zero]" : : "r"(x) : "cc" : zero);
  return 1;
zero:
  return 0;
}
#else
int Naked(int x) { return x; }
int InlineAssembly(int x) { return x + 1; }
int AsmGoto(int x) { return x != 0; }
#endif

static jmp_buf place;
NI void Jump(int x) {
  VISIT("Jump");
  if (x > 2) longjmp(place, x);
}
NI int ComesBack(int n) {
  VISIT("ComesBack");
  volatile int sum = 0;
  const int from = setjmp(place);
  sum += from;
  if (from < n) Jump(from == 0 ? 3 : from + 1);
  return sum;
}

NI int Variadic(int n, ...) {
  VISIT("Variadic");
  va_list list;
  va_start(list, n);
  int sum = 0;
  while (n-- > 0) sum += va_arg(list, int);
  va_end(list);
  return sum;
}

struct Large {
  char text[300];
};
NI struct Large ReturnsLarge(int x) {
  VISIT("ReturnsLarge");
  struct Large large;
  memset(&large, x, sizeof large);
  return large;
}

NI int OnStack(int n) {
  VISIT("OnStack");
  volatile int* numbers = __builtin_alloca((size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) numbers[i] = i;
  return numbers[n - 1];
}

NI int Computed(int x) {
  VISIT("Computed");
  static void* const ways[] = {&&even, &&odd};
  goto* ways[x & 1];
even:
  return 5;
odd:
  return 6;
}

NI int Many(int x) {
  VISIT("Many");
  switch (x % 7) {
    case 0: return Computed(x);
    case 1: return x;
    case 3: return abs(x) + 2;
    case 5: return Variadic(2, x, x);
    default: return Hidden(x);
  }
}

/* The end is a call: as a jump it would take the exit with it. */
NI int Last(int x) {
  VISIT("Last");
  return Many(x + 1);
}

/* The beginning is inlined, the rest is too large to be. */
double grid[1000];
double total;
void Solve(int n, double w) {
  if (n == 0) return;
  VISIT("Solve");
  for (int i = 1; i < n; ++i) grid[i] = grid[i - 1] * w + grid[i];
  for (int i = 1; i < n; ++i) grid[i] = grid[i - 1] * w * w - grid[i] / 3;
  for (int i = 1; i < n; ++i) {
    if (grid[i] > 1e6) abort();
    grid[i] *= 0.5;
    total += grid[i];
  }
  for (int i = 1; i < n; ++i) grid[i] = grid[i - 1] * w + grid[i] * total;
}
NI void CallsSolve(int n) {
  VISIT("CallsSolve");
  Solve(n, 0.5);
}
void (*volatile solve)(int, double) = Solve;

NI _Noreturn void End(int status) {
  VISIT("End");
  exit(status);
}

BARE __attribute__((destructor)) static void Print(void) { PrintVisited(); }

int main(int argc, char** argv) {
  VISIT("main");
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum += Hidden(i) + Chosen(i) + Naked(i) + InlineAssembly(i) + AsmGoto(i % 2) + ComesBack(6) + OnStack(i + 1);
    sum += Variadic(3, 1, 2, i) + ReturnsLarge(65).text[3] + Computed(i) + Last(i);
    CallsSolve(i % 2 * 100);
    if (i % 4 == 0) solve(argc + i, 0.25);
  }
  solve(0, 1);
  printf("sum %d\n", sum);
  End(0);
}
