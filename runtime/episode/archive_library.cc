// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/archive_library.h"

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstring>

namespace epik::episode {

void* FindInArchiveLibrary(const char* symbol, const char** error) {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&FindInArchiveLibrary), &self) == 0 || self.dli_fname == nullptr) {
    *error = "cannot find out where libepk.so is";
    return nullptr;
  }
  char path[PATH_MAX];
  const char* slash = std::strrchr(self.dli_fname, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname) + 1;
  std::snprintf(path, sizeof path, "%.*slibepk_archive.so", folder, self.dli_fname);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, symbol);
  if (found == nullptr) *error = dlerror();
  return found;
}

}  // namespace epik::episode
