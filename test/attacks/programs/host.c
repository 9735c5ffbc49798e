// SPDX-License-Identifier: BSD-3-Clause
// A program that is not measured, and loads a library that is.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    puts(argc > 1 ? dlerror() : "host LIBRARY");
    return 1;
  }
  int (*work)(int) = (int (*)(int))dlsym(library, "work");
  printf("%d\n", work(7));
  return 0;
}
