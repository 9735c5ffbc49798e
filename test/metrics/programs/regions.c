// SPDX-License-Identifier: BSD-3-Clause
// Nothing is instrumented but a region of the user's own, in which 64 pages are touched.
#define _GNU_SOURCE
#include <epik/epik.h>
#include <sys/mman.h>

int main(void) {
  char* fresh = mmap(0, 65 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return 1;
  madvise(fresh, 65 * 4096, MADV_NOHUGEPAGE);
  EPIK_USER_REG(warm, "warm");
  EPIK_USER_START(warm);
  EPIK_USER_END(warm);
  EPIK_USER_REG(pages, "pages");
  EPIK_USER_START(pages);
  for (long i = 0; i < 64; ++i) ((volatile char*)fresh)[i * 4096] = 1;
  EPIK_USER_END(pages);
  return 0;
}
