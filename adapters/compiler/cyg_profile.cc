// SPDX-License-Identifier: BSD-3-Clause
// The two hooks that gcc, g++, gfortran, clang and clang++ call with -finstrument-functions.
#include "runtime/episode/location_hot.h"

extern "C" {

EPIK_EXPORT EPIK_NO_HOOKS void __cyg_profile_func_enter(void* function, void* call_site);
EPIK_EXPORT EPIK_NO_HOOKS void __cyg_profile_func_exit(void* function, void* call_site);

void __cyg_profile_func_enter(void* function, void*) {
  epik::episode::Enter(reinterpret_cast<uint64_t>(function), epik::base::FrameAddressOfLeaf());
}

void __cyg_profile_func_exit(void* function, void*) {
  epik::episode::Exit(reinterpret_cast<uint64_t>(function), epik::base::FrameAddressOfLeaf());
}

// glibc also has hooks of these names, which do nothing. In a program that is not measured they come before ours. An
// instrumented library that such a program loads calls our hooks by these other names, which `epk instrument` makes the
// linker use.
EPIK_EXPORT void __wrap___cyg_profile_func_enter(void*, void*) __attribute__((alias("__cyg_profile_func_enter")));
EPIK_EXPORT void __wrap___cyg_profile_func_exit(void*, void*) __attribute__((alias("__cyg_profile_func_exit")));
}
