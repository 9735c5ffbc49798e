// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/libdw.h"

#include <dlfcn.h>

namespace epik::symbols {

#define EPIK_LIBDW_DEFINE(function) decltype(&::function) function = nullptr;
EPIK_LIBDW_FUNCTIONS(EPIK_LIBDW_DEFINE)
#undef EPIK_LIBDW_DEFINE

namespace {

template <class Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool Load() {
  // The version of the headers that this was compiled with. It is never closed, because it frees its own allocations.
  void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
#define EPIK_LIBDW_FIND(function) \
  if (!Find(library, #function, &function)) return false;
  EPIK_LIBDW_FUNCTIONS(EPIK_LIBDW_FIND)
#undef EPIK_LIBDW_FIND
  return true;
}

}  // namespace

bool LoadLibdw() {
  static const bool loaded = Load();
  return loaded;
}

}  // namespace epik::symbols
