// SPDX-License-Identifier: BSD-3-Clause
// EPIK loads libepk_archive.so at the end, when the loader has run all destructors. dlopen initializes again whatever
// that library needs, and a sanitizer's runtime ends the program then. So the library is loaded at the start, and
// stays.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static void* archive;
static void* (*real_dlopen)(const char*, int);

__attribute__((constructor)) static void load(void) {
  real_dlopen = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  archive = real_dlopen(ARCHIVE, RTLD_NOW | RTLD_LOCAL);
}

void* dlopen(const char* path, int mode) {
  const char* name = path == NULL ? NULL : strrchr(path, '/');
  if (archive != NULL && name != NULL && strcmp(name, "/libepk_archive.so") == 0) return archive;
  if (real_dlopen == NULL) real_dlopen = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  return real_dlopen(path, mode);
}
