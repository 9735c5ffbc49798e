// SPDX-License-Identifier: BSD-3-Clause
// Definitions of everything that events refer to by number: regions, modules, facts about the process. They are
// appended and never changed.
#ifndef EPIK_RUNTIME_EPISODE_DEFINITIONS_H_
#define EPIK_RUNTIME_EPISODE_DEFINITIONS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/event/layout.h"

namespace epik::episode {

// One piece of a record's payload.
struct Piece {
  const void* data;
  size_t bytes;
};

// Appends one record to the arena's definitions. False when there is no room left. Takes a lock: cold paths only.
bool Define(event::RecordType type, const Piece* pieces, size_t count);
bool Define(event::RecordType type, const char* text);
// The same, but returns the record's place, which never changes. Null: there is no room left.
const char* DefineAt(event::RecordType type, const Piece* pieces, size_t count);

// The number of a region. The region gets it when (name, file, line) comes for the first time; 0: no room left.
uint32_t DefineRegion(const char* name, const char* file, int line, event::Role role,
                      event::Paradigm paradigm = event::Paradigm::kUser);

struct DefinedRegion {
  uint32_t number;
  const char* name;
  const char* file;
  event::Role role;
  event::Paradigm paradigm;
};
// Visits the regions that are defined by now.
void ForEachRegion(void (*visit)(const DefinedRegion& region, void* context), void* context);

// Adds a sentence to the notes of the report, once.
void Note(const char* text);

// The name of a region; null for an unknown number.
const char* NameOfRegion(uint32_t region);

// Whether a region of this name is a function of MPI, or an extension of one MPI (MPIX_Barrier_init).
inline bool IsNameOfMpi(const char* name) {
  return name != nullptr && (std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "MPIX_", 5) == 0);
}

// In a forked child, while the parent's memory is still mapped. Variables of the program keep the numbers of regions,
// so this keeps their definitions; RedefineRegions writes them into the child's own memory, if it gets one.
void ForgetDefinitions();
void RedefineRegions();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_DEFINITIONS_H_
