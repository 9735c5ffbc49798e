// SPDX-License-Identifier: BSD-3-Clause
// What events refer to by number: regions, modules, and what is known about the process. Appended, never changed.
#ifndef EPIK_RUNTIME_EPISODE_DEFINITIONS_H_
#define EPIK_RUNTIME_EPISODE_DEFINITIONS_H_

#include <cstddef>
#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// A piece of a record's payload.
struct Piece {
  const void* data;
  size_t bytes;
};

// Appends one record to the arena's definitions. False when there is no room left. Takes a lock: cold paths only.
bool Define(event::RecordType type, const Piece* pieces, size_t count);
bool Define(event::RecordType type, const char* text);

// The number of a region, made at the first mention of (name, file, line); 0 when there is no room left.
uint32_t DefineRegion(const char* name, const char* file, int line, event::Role role,
                      event::Paradigm paradigm = event::Paradigm::kUser);

struct DefinedRegion {
  uint32_t number;
  const char* name;
  const char* file;
  event::Role role;
  event::Paradigm paradigm;
};
// Those that are defined by now.
void ForEachRegion(void (*visit)(const DefinedRegion& region, void* context), void* context);

// A sentence for the report, said once.
void Note(const char* text);

// What the program called a region; null for a number that was not given out.
const char* NameOfRegion(uint32_t region);

// In a forked child, while the parent's memory is still mapped. The numbers of regions live on in variables of the
// program, so what they mean is put aside; RedefineRegions writes it into the child's own memory, should it get one.
void ForgetDefinitions();
void RedefineRegions();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_DEFINITIONS_H_
