/* SPDX-License-Identifier: BSD-3-Clause
 * Metrics that are called like EPIK's own, or that have no name; user_test.py works out the right profile. */
#include "epik/epik.h"

int main(void) {
  EPIK_METRIC("visits", "occ", 7);
  EPIK_METRIC("time", "sec", 3);
  EPIK_METRIC("min_time", "sec", 3);
  EPIK_METRIC("unfinished", "1", 7);
  EPIK_METRIC("msgs_sent", "occ", 7.5);
  EPIK_METRIC("comp", "sec", 2);
  EPIK_METRIC("mpi_latesender", "sec", 4);
  EPIK_METRIC("", "1", 9);
  return 0;
}
