// SPDX-License-Identifier: BSD-3-Clause
// The runtime asks which functions and regions groups take out (EPK_GROUPS), and for the names of OpenMP constructs.
// libepk_archive.so answers, because names need its libraries; it is loaded at the first question.
#ifndef EPIK_RUNTIME_ABI_GROUP_FUNCTIONS_H_
#define EPIK_RUNTIME_ABI_GROUP_FUNCTIONS_H_

#include <cstdint>

extern "C" {

inline constexpr uint32_t kEpikGroupsVersion = 1;

// Called by one thread at a time.
struct EpikGroups {
  uint32_t version;
  // Parses the words of EPK_GROUPS, a word a line ("-mpi" takes out MPI), and says what is wrong. The result is never
  // freed; null when memory runs out.
  const void* (*parse)(const char* words, void (*say)(const char* line));
  // Calls found(address) for every function of the module that the group takes out.
  void (*module)(const void* group, const char* path, uint64_t bias, void (*found)(uint64_t address));
  // Returns 1 when the group takes the region out. `paradigm` is a word of epitome::Region.
  int (*region)(const void* group, const char* name, const char* file, const char* paradigm);
  // Whether the group may match single OpenMP constructs.
  int (*constructs)(const void* group);
  // Writes the name of a construct of this kind at an address of the module: "barrier @solver.c:42".
  void (*construct)(uint8_t kind, const char* path, uint64_t bias, uint64_t address, char* name, uint64_t size);
};

// Null when the library has another version.
__attribute__((visibility("default"))) const EpikGroups* epik_groups(uint32_t version);

using EpikGroupsFunction = const EpikGroups* (*)(uint32_t);
}

#endif  // EPIK_RUNTIME_ABI_GROUP_FUNCTIONS_H_
