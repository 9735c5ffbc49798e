// SPDX-License-Identifier: BSD-3-Clause
// Visits all call paths while threads may change them.
#ifndef EPIK_RUNTIME_EPISODE_EACH_NODE_H_
#define EPIK_RUNTIME_EPISODE_EACH_NODE_H_

#include "runtime/base/arena.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// Calls visit(line) for the call paths of the location in that line; 0: of all locations.
template <class Visit>
void ForEachNode(uint32_t owner, Visit visit) {
  const uint32_t end = __atomic_load_n(&event::Process()->arena.lines_used, __ATOMIC_ACQUIRE);
  for (uint32_t line = base::kFirstChunkLine; line + base::kChunkLines <= end;) {
    const auto* chunk = base::LineAt<base::ChunkHeader>(line);
    if (__atomic_load_n(&chunk->magic, __ATOMIC_ACQUIRE) != base::kChunkMagic) {  // another thread is at work on it
      line += base::kChunkLines;
      continue;
    }
    base::ChunkKind kind;
    __atomic_load(&chunk->kind, &kind, __ATOMIC_RELAXED);  // clang has no __atomic_load_n of an enumeration
    if (kind == base::ChunkKind::kNodes && (owner == 0 || chunk->owner == owner)) {
      const uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
      for (uint32_t i = 1; i <= used; ++i) visit(line + i);
    }
    line += chunk->lines;
  }
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_EACH_NODE_H_
