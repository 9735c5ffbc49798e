// SPDX-License-Identifier: BSD-3-Clause
// Which functions and regions of a running program its filter takes out. In libepk_archive.so, for names need its
// libraries; loaded at the start only when there is a filter.
#ifndef EPIK_RUNTIME_ABI_FILTER_FUNCTIONS_H_
#define EPIK_RUNTIME_ABI_FILTER_FUNCTIONS_H_

#include <cstdint>

extern "C" {

typedef void (*EpikSay)(const char* line);

inline constexpr uint32_t kEpikFilterVersion = 3;

// One thread at a time.
struct EpikFilter {
  uint32_t version;
  // Reads the file (null: there is none); what is wrong with it is said. 0: it cannot be read. `groups`: what to
  // measure of what the file leaves, a word a line (config/groups.h); null: all.
  int (*open)(const char* path, const char* groups, EpikSay say);
  // Calls exclude(address) for every function that is out.
  void (*module)(const char* path, uint64_t bias, void (*exclude)(uint64_t address), EpikSay say);
  // paradigm: a word of epitome::Region. 0: out.
  int (*region)(const char* name, const char* file, const char* paradigm);
  // Whether some rule may be about single constructs of OpenMP.
  int (*names_constructs)();
  // What was left out, and which rules matched nothing.
  void (*summary)(EpikSay say);
};

// Null: not of this version.
__attribute__((visibility("default"))) const EpikFilter* epik_filter(uint32_t version);

using EpikFilterFunction = const EpikFilter* (*)(uint32_t);
}

#endif  // EPIK_RUNTIME_ABI_FILTER_FUNCTIONS_H_
