// SPDX-License-Identifier: BSD-3-Clause
// After a dlclose another object may be mapped at the same addresses. (dlopen needs no wrapper, and must not have one:
// it searches for libraries relative to its caller.)
#include <dlfcn.h>

#include "runtime/base/compiler.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/modules.h"

extern "C" EPIK_EXPORT int dlclose(void* handle) {
  static const auto real = reinterpret_cast<decltype(&dlclose)>(dlsym(RTLD_NEXT, "dlclose"));
  const int result = real != nullptr ? real(handle) : -1;
  if (epik::episode::CurrentStage() == epik::episode::Stage::kOn) epik::episode::RetireUnmappedModules();
  return result;
}
