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
uint32_t DefineRegion(const char* name, const char* file, int line, event::Role role);

// A sentence for the report, said once.
void Note(const char* text);

void ForgetDefinitions();  // in a forked child

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_DEFINITIONS_H_
