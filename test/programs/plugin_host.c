// SPDX-License-Identifier: BSD-3-Clause
// Instrumented code that comes and goes.     plugin_host PLUGIN [ROUNDS [deepbind|keep]]
//
// Every round loads the plugin, calls it ten times and unloads it again (keep: leaves it loaded at the end). Another
// library may come to lie at the same address: HOST > CallPlugin > PluginRun > PluginHelper must stay what they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCalls = 10 };

__attribute__((noinline)) long CallPlugin(int (*run)(int)) {
  long sum = 0;
  for (int i = 0; i < kCalls; ++i) sum += run(i);
  return sum;
}

__attribute__((noinline)) long Round(const char* path, int flags, int keep) {
  void* plugin = dlopen(path, flags);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int (*run)(int) = NULL;
  *(void**)&run = dlsym(plugin, "PluginRun");
  const long sum = CallPlugin(run);
  if (!keep) dlclose(plugin);
  return sum;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  const char* how = argc > 3 ? argv[3] : "";
  const int flags = RTLD_NOW | (strcmp(how, "deepbind") == 0 ? RTLD_DEEPBIND : 0);
  long sum = 0;
  for (int round = 0; round < rounds; ++round) sum += Round(argv[1], flags, strcmp(how, "keep") == 0);
  printf("sum %ld\n", sum);
  return 0;
}
