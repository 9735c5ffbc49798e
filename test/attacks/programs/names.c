// SPDX-License-Identifier: BSD-3-Clause
// Regions with names that are chosen to attack spreadsheets, terminals and converters.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

typedef uint32_t epik_region_t;
epik_region_t epik_region(const char* name, const char* file, int line) __attribute__((weak));
void epik_enter(epik_region_t region) __attribute__((weak));
void epik_exit(epik_region_t region) __attribute__((weak));

BARE static void visit(const char* name) {
  if (epik_region == NULL) return;
  const epik_region_t region = epik_region(name, __FILE__, __LINE__);
  epik_enter(region);
  epik_exit(region);
}

MEASURED static void work(void) {
  visit("=1+2");
  visit("@SUM(A1)");
  visit("-danger, \"quoted\"");
  visit("+plus");
  visit("\xE2\x80\xAEtxt.exe");  // right-to-left override
  visit("zero\xE2\x80\x8Bwidth");
}

BARE static int names(void) {
  work();
  return 0;
}

MEASURED static void work_long(void) {
  const size_t length = (size_t)guest_number(1, 1 << 20);
  char* name = malloc(length + 1);
  memset(name, 'n', length);
  name[length] = '\0';
  visit(name);
  free(name);
}

BARE static int long_name(void) {
  work_long();
  return 0;
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"names", names}, {"long_name", long_name}, {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
