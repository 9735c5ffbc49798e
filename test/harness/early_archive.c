// SPDX-License-Identifier: BSD-3-Clause
// EPIK loads libepk_archive.so at the end, when the loader has run all destructors. That library may load others.
// dlopen then initializes the libraries that it needs a second time, and a sanitizer's runtime ends the program. So the
// libraries are loaded at the start, and stay.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

enum { kLibraries = 3 };
static const char* const paths[kLibraries] = {FOLDER "/libepk_archive.so", FOLDER "/libepk_otf2.so",
                                              FOLDER "/libepk_analysis.so"};
static void* loaded[kLibraries];
static void* (*real_dlopen)(const char*, int);

__attribute__((constructor)) static void load(void) {
  real_dlopen = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  for (int i = 0; i < kLibraries; ++i) loaded[i] = real_dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
}

void* dlopen(const char* path, int mode) {
  const char* name = path == NULL ? NULL : strrchr(path, '/');
  for (int i = 0; i < kLibraries && name != NULL; ++i) {
    if (loaded[i] != NULL && strcmp(name, strrchr(paths[i], '/')) == 0) return loaded[i];
  }
  if (real_dlopen == NULL) real_dlopen = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  return real_dlopen(path, mode);
}
