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
}
