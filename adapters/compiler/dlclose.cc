// SPDX-License-Identifier: BSD-3-Clause
// After a dlclose another object may be mapped at the same addresses, maybe by another thread before dlclose returns.
// So we also watch for the end of an object's own code: its destructors run by __cxa_finalize, which the object calls
// itself. (dlopen needs no wrapper, and must not have one: it searches for libraries relative to its caller.)
#include <dlfcn.h>

#include "runtime/base/compiler.h"
#include "runtime/base/thread_memory.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/modules.h"

namespace {

using epik::episode::CurrentStage;
using epik::episode::Stage;

int (*real_dlclose)(void*) = nullptr;
void (*real_finalize)(void*) = nullptr;
EPIK_PER_THREAD epik::base::PerThread<uint32_t> closing;  // calls of dlclose that are open

__attribute__((constructor)) void FindReal() {
  if (real_dlclose == nullptr) real_dlclose = reinterpret_cast<decltype(real_dlclose)>(dlsym(RTLD_NEXT, "dlclose"));
  if (real_finalize == nullptr)
    real_finalize = reinterpret_cast<decltype(real_finalize)>(dlsym(RTLD_NEXT, "__cxa_finalize"));
}

}  // namespace

extern "C" {

EPIK_EXPORT int dlclose(void* handle) {
  FindReal();
  ++*closing;
  const int result = real_dlclose != nullptr ? real_dlclose(handle) : -1;
  --*closing;
  if (CurrentStage() == Stage::kOn) epik::episode::RetireUnmappedModules();
  return result;
}

EPIK_EXPORT void __cxa_finalize(void* object) {
  FindReal();
  if (real_finalize != nullptr) real_finalize(object);
  if (CurrentStage() != Stage::kOn || object == nullptr || *closing == 0) return;
  epik::episode::RetireLeavingModule(reinterpret_cast<uint64_t>(__builtin_return_address(0)));
}
}
