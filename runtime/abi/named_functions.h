// SPDX-License-Identifier: BSD-3-Clause
// The runtime asks for the addresses of functions by name. libepk_archive.so answers, because names need its libraries;
// it is loaded while the program runs only when a setting names a function.
#ifndef EPIK_RUNTIME_ABI_NAMED_FUNCTIONS_H_
#define EPIK_RUNTIME_ABI_NAMED_FUNCTIONS_H_

#include <cstdint>

extern "C" {

// Calls found(address) for every instrumented function of the module whose name matches the glob, with its parameters
// or without.
__attribute__((visibility("default"))) void epik_functions_named(const char* glob, const char* path, uint64_t bias,
                                                                 void (*found)(uint64_t address));

using EpikFunctionsNamed = void (*)(const char*, const char*, uint64_t, void (*)(uint64_t));
}

#endif  // EPIK_RUNTIME_ABI_NAMED_FUNCTIONS_H_
