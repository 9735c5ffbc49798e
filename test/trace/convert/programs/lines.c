// SPDX-License-Identifier: BSD-3-Clause
// A metric and a parameter whose names and units have line ends.
#include <epik/epik.h>

int main(void) {
  epik_metric_add(epik_metric("two\nlines", "a\nb"), 3);
  epik_parameter_int("more\nlines", 4);
  epik_parameter_end();
  return 0;
}
