// SPDX-License-Identifier: BSD-3-Clause
// Which functions and regions of a running program are in a group, and what OpenMP constructs are called. In
// libepk_archive.so, for names need its libraries; loaded only when somebody asks.
#ifndef EPIK_RUNTIME_ABI_GROUP_FUNCTIONS_H_
#define EPIK_RUNTIME_ABI_GROUP_FUNCTIONS_H_

#include <cstdint>

extern "C" {

inline constexpr uint32_t kEpikGroupsVersion = 1;

// One thread at a time.
struct EpikGroups {
  uint32_t version;
  // What these words take out, a word a line as in EPK_GROUPS ("-mpi": MPI). What is wrong is said. Never freed; null:
  // no memory.
  const void* (*parse)(const char* words, void (*say)(const char* line));
  // Calls found(address) for every function of the module that is out.
  void (*module)(const void* group, const char* path, uint64_t bias, void (*found)(uint64_t address));
  // paradigm: a word of epitome::Region. 1: out.
  int (*region)(const void* group, const char* name, const char* file, const char* paradigm);
  // Whether it may be about single constructs of OpenMP.
  int (*constructs)(const void* group);
  // "barrier @solver.c:42", of a construct with its kind at an address of that module.
  void (*construct)(uint8_t kind, const char* path, uint64_t bias, uint64_t address, char* name, uint64_t size);
};

// Null: not of this version.
__attribute__((visibility("default"))) const EpikGroups* epik_groups(uint32_t version);

using EpikGroupsFunction = const EpikGroups* (*)(uint32_t);
}

#endif  // EPIK_RUNTIME_ABI_GROUP_FUNCTIONS_H_
