// SPDX-License-Identifier: BSD-3-Clause
// clang calls no exit hooks when an exception leaves a function. When the exception is caught, we close the frames that
// it skipped.
//
// The link gives epik_begin_catch the name __cxa_begin_catch (adapters/BUILD): the static libstdc++ in this library
// has one of that name, too. Nothing in this library catches anything.
#include <dlfcn.h>
#include <stdlib.h>

#include <cstdint>

#include "runtime/base/clock.h"
#include "runtime/base/compiler.h"
#include "runtime/choice/pause.h"
#include "runtime/episode/jumps.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

extern "C" EPIK_EXPORT void* epik_begin_catch(void* exception) noexcept;

namespace {

using BeginCatch = void* (*)(void*);

BeginCatch In(const char* library) {
  void* object = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  const auto found = reinterpret_cast<BeginCatch>(dlsym(object, "__cxa_begin_catch"));
  dlclose(object);
  return found;
}

BeginCatch next = nullptr;

// Looks for the program's function early: a forked child may not ask the loader (runtime/base/forked.h).
__attribute__((constructor)) void FindNext() {
  static bool looked = false;
  if (!looked) next = reinterpret_cast<BeginCatch>(dlsym(RTLD_NEXT, "__cxa_begin_catch"));
  looked = true;
}

// Finds the program's function. A plugin may have brought a C++ library of its own.
BeginCatch Real(const void* caller) {
  FindNext();
  if (next != nullptr) return next;
  Dl_info from;
  if (dladdr(caller, &from) != 0) {
    const BeginCatch callers = In(from.dli_fname);
    if (callers != nullptr && callers != epik_begin_catch) return callers;
  }
  const BeginCatch standard = In("libstdc++.so.6");
  return standard != nullptr ? standard : In("libc++abi.so.1");
}

}  // namespace

extern "C" EPIK_EXPORT void* epik_begin_catch(void* exception) noexcept {
  // The stack of our caller, where it called us: below return address and saved base.
  const uint64_t landing = reinterpret_cast<uint64_t>(__builtin_frame_address(0)) + 16;
  epik::episode::ForgetLeftFrame(landing, {0, 0});
  epik::event::Location* location = epik::episode::current;
  if (location != nullptr) {
    epik::episode::CloseLeftBehind(location, landing, {0, 0}, epik::base::Now());
  } else if (epik::episode::pauses != 0) {
    epik::choice::JumpWhilePaused(landing, {0, 0});
  }
  const BeginCatch real = Real(__builtin_return_address(0));
  if (real == nullptr) abort();
  return real(exception);
}
