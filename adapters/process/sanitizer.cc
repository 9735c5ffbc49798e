// SPDX-License-Identifier: BSD-3-Clause
// gcc's address sanitizer refuses to start when another library comes before its own ("ASan runtime does not come first
// in initial library list"). `epk run` puts that one first where it can see the program; behind a script nobody can. It
// works behind libepk.so all the same, for what it wraps is asked through us: so we take the refusal out. A program
// that has options of its own is asked before us, and ASAN_OPTIONS count last.
#include "runtime/base/compiler.h"

extern "C" EPIK_EXPORT const char* __asan_default_options();
extern "C" EPIK_EXPORT const char* __asan_default_options() { return "verify_asan_link_order=0"; }
