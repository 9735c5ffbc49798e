// SPDX-License-Identifier: BSD-3-Clause
// OpenMP constructs around functions, and a forked child with calls of its own.     loops
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) void piece(int i) { sink = i; }
__attribute__((noinline)) void loop(void) {
#pragma omp parallel for
  for (int i = 0; i < 400; ++i) piece(i);
}
__attribute__((noinline)) void other(void) { piece(1); }

int main(void) {
  loop();
  loop();
  const pid_t child = fork();
  for (int i = 0; i < (child == 0 ? 7 : 3); ++i) other();
  if (child == 0) return 0;
  waitpid(child, NULL, 0);
  return 0;
}
