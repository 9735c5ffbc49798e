// SPDX-License-Identifier: BSD-3-Clause
// A thread is in the constructor of a library that it loads, and has the loader's lock, while the main thread wants
// EPIK to look at names, for which EPIK loads a library itself.
//   meanwhile group LIBRARY   switches a group off
//   meanwhile start LIBRARY   begins the measurement
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "epik/epik.h"

#define UNMEASURED __attribute__((no_instrument_function, noinline))

int constructing;  // the library sets it

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

UNMEASURED static void* load(void* name) {
  if (dlopen(name, RTLD_NOW) == NULL) fprintf(stderr, "%s\n", dlerror());
  return NULL;
}

UNMEASURED int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const int switches = strcmp(argv[1], "group") == 0;
  pthread_t loader;
  if (switches) work();
  pthread_create(&loader, NULL, load, argv[2]);
  while (!__atomic_load_n(&constructing, __ATOMIC_ACQUIRE)) usleep(1000);
  if (switches) epik_group_disable("user");
  work();
  pthread_join(loader, NULL);
  work();
  return 0;
}
