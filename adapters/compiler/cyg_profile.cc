// SPDX-License-Identifier: BSD-3-Clause
// The two hooks that gcc, g++, gfortran, clang and clang++ call with -finstrument-functions.
#include "runtime/episode/location_hot.h"

extern "C" {

EPIK_EXPORT EPIK_NO_HOOKS void __cyg_profile_func_enter(void* function, void* call_site);
EPIK_EXPORT EPIK_NO_HOOKS void __cyg_profile_func_exit(void* function, void* call_site);

void __cyg_profile_func_enter(void* function, void*) {
  epik::episode::Enter(reinterpret_cast<uint64_t>(function), __builtin_frame_address(0));
}

void __cyg_profile_func_exit(void* function, void*) {
  epik::episode::Exit(reinterpret_cast<uint64_t>(function), __builtin_frame_address(0));
}

// glibc has hooks of these names, too, which do nothing. Where a program is not measured they come before ours; a
// library that it loads later calls ours by names of their own (`epk instrument` has the linker see to that).
EPIK_EXPORT void __wrap___cyg_profile_func_enter(void*, void*) __attribute__((alias("__cyg_profile_func_enter")));
EPIK_EXPORT void __wrap___cyg_profile_func_exit(void*, void*) __attribute__((alias("__cyg_profile_func_exit")));
}
