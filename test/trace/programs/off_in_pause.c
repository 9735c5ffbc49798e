/* SPDX-License-Identifier: BSD-3-Clause */
/* Pauses, switches the trace off in the pause, and stays paused to its end. With an argument, it goes on before. */
#include <epik/epik.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void Leaf(void) { ++sink; }

__attribute__((noinline)) static void Pauses(int goes_on) {
  Leaf();
  epik_pause();
  usleep(10000);
  epik_trace(0);
  usleep(10000);
  if (goes_on) epik_resume();
  Leaf();
}

int main(int argc, char** argv) {
  (void)argv;
  Pauses(argc > 1);
  return 0;
}
