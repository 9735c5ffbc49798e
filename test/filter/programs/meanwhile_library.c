// SPDX-License-Identifier: BSD-3-Clause
// A library whose constructor takes its time before it calls anything that is measured.
#include <unistd.h>

#include "epik/epik.h"

extern int constructing;

void work(void);

__attribute__((constructor, no_instrument_function)) static void construct(void) {
  __atomic_store_n(&constructing, 1, __ATOMIC_RELEASE);
  usleep(200000);  // the main thread is at it by then
  for (int i = 0; i < 3; ++i) work();
  epik_region("a region of the library", "", 0);
}
