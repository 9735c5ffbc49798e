// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/archive_library.h"

#include <dlfcn.h>

#include <climits>

#include "runtime/base/forked.h"
#include "runtime/base/installation.h"

namespace epik::episode {

void* FindInArchiveLibrary(const char* symbol, const char** error) {
  if (base::LocksMayBeLost()) {
    *error = "a forked child of a program with threads loads no library";
    return nullptr;
  }
  char path[PATH_MAX];
  if (!base::PathBesideUs("libepk_archive.so", path, sizeof path)) {
    *error = "cannot find out where libepk.so is";
    return nullptr;
  }
  if (!base::IsSameWorld()) {
    *error = "the program has changed its root or its mounts: no library is loaded from there";
    return nullptr;
  }
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, symbol);
  if (found == nullptr) *error = dlerror();
  return found;
}

}  // namespace epik::episode
