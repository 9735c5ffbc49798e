// SPDX-License-Identifier: BSD-3-Clause
// After a dlclose another object may be mapped at the same addresses. (dlopen needs no wrapper, and must not have one:
// it searches for libraries relative to its caller.)
#include <dlfcn.h>

#include "runtime/base/compiler.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/modules.h"

namespace {

int (*real)(void*) = nullptr;

__attribute__((constructor)) void FindReal() {
  if (real == nullptr) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, "dlclose"));
}

}  // namespace

extern "C" EPIK_EXPORT int dlclose(void* handle) {
  FindReal();
  const int result = real != nullptr ? real(handle) : -1;
  if (epik::episode::CurrentStage() == epik::episode::Stage::kOn) epik::episode::RetireUnmappedModules();
  return result;
}
