/* SPDX-License-Identifier: BSD-3-Clause
 * More regions and parameter values than a table of 65 536 has room for. */
#include <stdio.h>

#include "epik/epik.h"

int main(void) {
  char name[32];
  for (int i = 0; i < 60000; ++i) {
    snprintf(name, sizeof name, "region %d", i);
    const epik_region_t region = epik_region ? epik_region(name, __FILE__, i) : 0;
    if (epik_enter) epik_enter(region);
    if (epik_exit) epik_exit(region);
  }
  for (int i = 0; i < 20000; ++i) {
    if (epik_parameter_int) epik_parameter_int("n", i);
    if (epik_parameter_end) epik_parameter_end();
  }
  return 0;
}
