// SPDX-License-Identifier: BSD-3-Clause
// The runtime asks which functions and regions a filter takes out. libepk_archive.so answers, because names need its
// libraries; it is loaded at the start only when a filter is set.
#ifndef EPIK_RUNTIME_ABI_FILTER_FUNCTIONS_H_
#define EPIK_RUNTIME_ABI_FILTER_FUNCTIONS_H_

#include <cstdint>

extern "C" {

typedef void (*EpikSay)(const char* line);

inline constexpr uint32_t kEpikFilterVersion = 3;

// Called by one thread at a time.
struct EpikFilter {
  uint32_t version;
  // Reads the filter file (null: no file) and says what is wrong with it. Returns 0 when it cannot be read. `groups`
  // limits the measurement further, a word a line (config/groups.h); null: no limit.
  int (*open)(const char* path, const char* groups, EpikSay say);
  // Calls exclude(address) for every function of the module that the filter takes out.
  void (*module)(const char* path, uint64_t bias, void (*exclude)(uint64_t address), EpikSay say);
  // Returns 0 when the filter takes the region out. `paradigm` is a word of epitome::Region.
  int (*region)(const char* name, const char* file, const char* paradigm);
  // Whether a rule may match single OpenMP constructs; then they are asked for by name.
  int (*names_constructs)();
  // Says how much was taken out, and which rules matched nothing.
  void (*summary)(EpikSay say);
};

// Null when the library has another version.
__attribute__((visibility("default"))) const EpikFilter* epik_filter(uint32_t version);

using EpikFilterFunction = const EpikFilter* (*)(uint32_t);
}

#endif  // EPIK_RUNTIME_ABI_FILTER_FUNCTIONS_H_
