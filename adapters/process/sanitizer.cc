// SPDX-License-Identifier: BSD-3-Clause
// gcc's address sanitizer refuses to start when another library comes before its own ("ASan runtime does not come first
// in initial library list"). `epk run` puts the sanitizer first if it can see the program; it cannot see through a
// script. The sanitizer works behind libepk.so, because libepk.so passes on every call that the sanitizer wraps. So we
// switch the refusal off. Options that the program defines itself replace ours, and ASAN_OPTIONS overrides both.
#include "runtime/base/compiler.h"

extern "C" EPIK_EXPORT const char* __asan_default_options();
extern "C" EPIK_EXPORT const char* __asan_default_options() { return "verify_asan_link_order=0"; }
