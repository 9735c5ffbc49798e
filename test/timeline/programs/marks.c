// SPDX-License-Identifier: BSD-3-Clause
// Sets a metric, switches the trace off for a while, writes its buffer; and dies when it is asked to.
#include <epik/epik.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static void Work(long milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < milliseconds);
}

EPIK_USER_REG(rare, "Rare");
EPIK_USER_REG(often, "Often");

int main(int argc, char** argv) {
  for (int i = 0; i < 200; ++i) {
    EPIK_USER_START(often);
    EPIK_METRIC("residual", "m", 1000.0 - i);
    EPIK_USER_END(often);
  }
  EPIK_TRACE_OFF();
  Work(30);
  EPIK_TRACE_ON();
  EPIK_FLUSH_TRACE();
  Work(20);
  EPIK_USER_START(rare);
  Work(5);
  if (argc > 1 && strcmp(argv[1], "die") == 0) raise(SIGKILL);
  EPIK_USER_END(rare);
  return 0;
}
