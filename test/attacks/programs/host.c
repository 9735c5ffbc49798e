// SPDX-License-Identifier: BSD-3-Clause
// A program that is not measured, and loads a library that is.
//
//   host LIBRARY [FOLDER COUNT]   loads 0.so, 1.so, ... of the folder first
//   host - FOLDER                 prints how many of these fit into the room for thread-local variables
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int load_fillers(const char* folder, int most) {
  char path[4096];
  for (int i = 0; i < most; ++i) {
    snprintf(path, sizeof path, "%s/%d.so", folder, i);
    if (dlopen(path, RTLD_NOW) == NULL) return i;
  }
  return most;
}

int main(int argc, char** argv) {
  if (argc == 3) {
    printf("%d\n", load_fillers(argv[2], 1000));
    return 0;
  }
  if (argc == 4 && load_fillers(argv[2], atoi(argv[3])) != atoi(argv[3])) return 2;
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    puts(argc > 1 ? dlerror() : "host LIBRARY");
    return 1;
  }
  int (*work)(int) = (int (*)(int))dlsym(library, "work");
  printf("%d\n", work(7));
  return 0;
}
