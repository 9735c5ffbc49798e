// SPDX-License-Identifier: BSD-3-Clause
// The runtime asks which functions, regions and OpenMP constructs a setting means by their names: filters, groups and
// patterns alike. libepk_archive.so answers, because names need its libraries; it is loaded at the first question.
#ifndef EPIK_RUNTIME_ABI_NAME_FUNCTIONS_H_
#define EPIK_RUNTIME_ABI_NAME_FUNCTIONS_H_

#include <cstdint>

extern "C" {

typedef void (*EpikSay)(const char* line);

inline constexpr uint32_t kEpikNamesVersion = 4;

// The OpenMP constructs that a selection may hold.
enum EpikConstructs : int {
  kEpikNoConstructs = 0,
  kEpikSomeConstructs = 1,  // each is asked for by its name ("barrier @solver.c:42")
  kEpikAllConstructs = 2,
};

// Called by one thread at a time.
struct EpikNames {
  uint32_t version;

  // These parse a selection and say what is wrong with it. It lives as long as the process. Null: it cannot be read, or
  // memory runs out.
  // Selects the functions and regions that a filter file (null: no file) excludes. `groups` excludes more: the words of
  // EPK_GROUPS, a word a line; null: none.
  const void* (*filter)(const char* path, const char* groups, EpikSay say);
  // Selects the functions and regions that the words of EPK_GROUPS exclude, a word a line ("-mpi" excludes MPI).
  const void* (*groups)(const char* words, EpikSay say);
  // Selects the functions and regions whose names match the glob, with their parameters or without.
  const void* (*pattern)(const char* glob);

  // Calls found(address) for every instrumented function of the module that is selected.
  void (*module)(const void* selection, const char* path, uint64_t bias, void (*found)(uint64_t address, void* context),
                 void* context, EpikSay say);
  // Returns 1 when the region is selected. `paradigm` is a word of archive::Region.
  int (*region)(const void* selection, const char* name, const char* file, const char* paradigm);
  // Returns one of EpikConstructs.
  int (*constructs)(const void* selection);
  // Says how much a filter excluded, and which of its rules matched nothing.
  void (*summary)(const void* selection, EpikSay say);

  // Writes the name of a construct of this kind at an address of the module.
  void (*construct_name)(uint8_t kind, const char* path, uint64_t bias, uint64_t address, char* name, uint64_t size);
};

// Null when the library has another version.
__attribute__((visibility("default"))) const EpikNames* epik_names(uint32_t version);

using EpikNamesFunction = const EpikNames* (*)(uint32_t);
}

#endif  // EPIK_RUNTIME_ABI_NAME_FUNCTIONS_H_
