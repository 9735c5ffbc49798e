// SPDX-License-Identifier: BSD-3-Clause
// Code that comes and goes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "guest.h"

MEASURED static int run(const char* path, int flags, void** where) {
  void* const plugin = dlopen(path, flags);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(9);
  }
  int (*function)(void) = (int (*)(void))dlsym(plugin, "run_plugin");
  if (where != NULL) *where = (void*)(size_t)((struct link_map*)plugin)->l_addr;
  const int result = function();
  guest_spend();
  dlclose(plugin);
  return result;
}

// Loads two libraries at the same address, one after the other.
MEASURED static int in_turn(void) {
  int same = 0;
  void* before = NULL;
  for (int i = 0; i < 100; ++i) {
    void* here = NULL;
    if (run(guest_argv[2 + i % 2], RTLD_NOW, &here) != 1) return 1;
    same += here == before;
    before = here;
  }
  printf(same > 50 ? "at the same address\n" : "at other addresses\n");
  return 0;
}

BARE static int once(const char* path) {
  void* const plugin = dlopen(path, RTLD_NOW);
  int (*function)(void) = plugin == NULL ? NULL : (int (*)(void))dlsym(plugin, "run_plugin");
  const int result = function == NULL ? 0 : function();
  if (plugin != NULL) dlclose(plugin);
  return result;
}

// Loads the first library TIMES times, and then the second one: FIRST SECOND TIMES.
MEASURED static int many(void) {
  for (long i = guest_number(3, 1); i > 0; --i) {
    if (once(guest_argv[2]) != 1) return 1;
  }
  return once(guest_argv[3]) == 1 ? 0 : 1;
}

enum { kThreads = 4, kRounds = 50, kLibraries = 8 };
BARE static void* takes_turns(void* place) {
  long failures = 0;
  for (long i = 0; i < kRounds * kLibraries; ++i) {
    failures += once(guest_argv[2 + (i * (2 * (long)place + 1)) % kLibraries]) != 1;
  }
  return (void*)failures;
}

// Other threads load a library to the addresses where this thread has just unloaded one.
MEASURED static int at_once(void) {
  pthread_t threads[kThreads];
  void* failures = NULL;
  for (long i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, takes_turns, (void*)i) != 0) return 1;
  }
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_join(threads[i], &failures) != 0 || failures != NULL) return 1;
  }
  return 0;
}

MEASURED static int deep(void) { return run(guest_argv[2], RTLD_NOW | RTLD_DEEPBIND, NULL) == 1 ? 0 : 1; }

MEASURED static int nothing(void) { return 0; }

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"in_turn", in_turn}, {"at_once", at_once}, {"many", many},
                                            {"deep", deep},       {"nothing", nothing}, {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
