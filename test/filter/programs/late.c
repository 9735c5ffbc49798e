// SPDX-License-Identifier: BSD-3-Clause
// A library that comes later, goes and comes back.     late LIBRARY
#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) int use(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) return -1;
  int (*run)(int) = (int (*)(int))dlsym(library, "library_run");
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += run(i);
  dlclose(library);
  return sum;
}

int main(int argc, char** argv) {
  int sum = 0;
  for (int round = 0; round < 3 && argc > 1; ++round) sum += use(argv[1]);
  printf("%d\n", sum);
  return 0;
}
