/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers of regions made by a parent are used in its children and grandchildren, among new ones. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "epik/epik.h"

EPIK_USER_REG(first, "first");
EPIK_USER_REG(second, "second");
EPIK_USER_REG(third, "third");
EPIK_USER_REG(phase, "phase");

static void wait_for_all(void) {
  while (wait(NULL) > 0) {
  }
}

int main(void) {
  EPIK_USER_START(first);
  EPIK_PARAMETER("p", 1);
  EPIK_USER_START(second);
  EPIK_METRIC("heat", "K", 1);
  EPIK_USER_END(second);
  EPIK_USER_END(first);
  for (int child = 0; child < 2; ++child) {
    if (fork() != 0) continue;
    EPIK_USER_START(third); /* new here: must not get a number that the parent's variables hold */
    EPIK_USER_START(second);
    EPIK_USER_END(second);
    EPIK_USER_END(third);
    if (fork() == 0) {
      EPIK_PHASE_START(phase, 7);
      EPIK_USER_START(third);
      EPIK_USER_START(first);
      EPIK_METRIC("heat", "K", 2);
      EPIK_USER_END(first);
      EPIK_USER_END(third);
      EPIK_PHASE_END(phase);
      return 0;
    }
    wait_for_all();
    return 0;
  }
  wait_for_all();
  return 0;
}
