/* SPDX-License-Identifier: BSD-3-Clause
 * Every macro of the C interface; user_test.py works out the right profile. */
#include <stdio.h>

#include "epik/epik.h"

EPIK_USER_REG(outer, "outer");
EPIK_USER_REG(never, "never started");

static long work(int n) {
  EPIK_FUNC_START();
  volatile long sum = 0;
  for (int i = 0; i < n * 100; ++i) sum = sum + i;
  EPIK_METRIC("items", "1", n);
  EPIK_FUNC_END();
  return sum;
}

static void phases(void) {
  EPIK_USER_REG(step, "step");
  for (int n = 0; n < 3; ++n) {
    EPIK_PHASE_START(step, n);
    for (int i = 0; i <= n; ++i) work(1);
    EPIK_PHASE_END(step);
  }
}

static void parameters(void) {
  EPIK_USER_REG(sweep, "sweep");
  EPIK_USER_START(sweep);
  for (int size = 1; size <= 4; size *= 2) {
    EPIK_PARAMETER("size", size);
    work(size);
  }
  EPIK_USER_END(sweep);
}

int main(void) {
  EPIK_GROUP_ENABLE("user");
  EPIK_USER_END(never);
  EPIK_USER_START(outer);
  work(5);
  phases();
  parameters();
  EPIK_USER_END(outer);
  EPIK_USER_END(outer);
  EPIK_FLUSH_TRACE();
  EPIK_USER_START(outer);
  EPIK_METRIC("time", "s", 2.5);
  EPIK_METRIC("items", "1", 0.125);
  EPIK_USER_END(outer);
  printf("done\n");
  return 3 - 3;
}
