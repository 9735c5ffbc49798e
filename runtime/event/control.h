// SPDX-License-Identifier: BSD-3-Clause
// Switching a running measurement through its arena: what the program itself does, what a handler of one of its
// signals does, and what `epk control` does from another process. Nothing here locks or calls anything.
//
// What is wanted is in the header of the process. What threads look at anyway is changed, too, so that they need not
// look at the header: the threshold of the trace at once; the room for frames and for words of the trace, so that the
// next frame or word takes the way that is rare, where the header is asked. Threads write these places as well: they
// look at the header after that, and whoever switches writes the header first.
#ifndef EPIK_RUNTIME_EVENT_CONTROL_H_
#define EPIK_RUNTIME_EVENT_CONTROL_H_

#include "runtime/event/layout.h"

namespace epik::event {

enum ControlBits : uint32_t {
  kTraceOff = 1,
  kPaused = 2  // nothing is measured
};

// An arena, wherever it is mapped, as far as it is there.
struct MappedArena {
  char* base;
  uint64_t bytes;

  ProcessHeader* header() const { return reinterpret_cast<ProcessHeader*>(base); }
};

// Every place of a thread that has been made. What others may write is believed as far as it can be.
template <class Change>
void ForEachPlace(const MappedArena& arena, Change change) {
  constexpr uint32_t kLines = sizeof(Location) / base::kLineBytes;
  const uint64_t end = arena.bytes / base::kLineBytes;
  uint32_t before = 0;
  uint32_t line = __atomic_load_n(&arena.header()->first_locations, __ATOMIC_ACQUIRE);
  // They were given out one after the other, so that damage makes no circle.
  while (line > before && uint64_t{line} + base::kChunkLines <= end) {
    auto* chunk = reinterpret_cast<base::ChunkHeader*>(arena.base + uint64_t{line} * base::kLineBytes);
    if (chunk->kind != base::ChunkKind::kLocation || uint64_t{line} + chunk->lines > end) return;
    const uint32_t places = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < places && 1 + (uint64_t{i} + 1) * kLines <= chunk->lines; ++i) {
      change(reinterpret_cast<Location*>(arena.base + (line + 1 + uint64_t{i} * kLines) * base::kLineBytes));
    }
    before = line;
    line = __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE);
  }
}

inline bool IsWanted(const MappedArena& arena, ControlBits bit) {
  return (__atomic_load_n(&arena.header()->control, __ATOMIC_SEQ_CST) & bit) != 0;
}

// What a place is told by what the header says now.
inline void TellTrace(const ProcessHeader* header, Location* location) {
  const bool on = header->trace_bytes != 0 && (__atomic_load_n(&header->control, __ATOMIC_SEQ_CST) & kTraceOff) == 0;
  __atomic_store_n(&location->worth, on ? header->trace_switched : ~uint64_t{0}, __ATOMIC_RELAXED);
  __atomic_store_n(&location->log_kinds, (on ? header->trace_kinds : 0) | header->collects, __ATOMIC_RELAXED);
}

inline void SetBit(ProcessHeader* header, ControlBits bit, bool on) {
  if (on) {
    __atomic_fetch_or(&header->control, uint32_t{bit}, __ATOMIC_SEQ_CST);
  } else {
    __atomic_fetch_and(&header->control, ~uint32_t{bit}, __ATOMIC_SEQ_CST);
  }
}

inline void SwitchTraceOf(const MappedArena& arena, bool on) {
  if (on) __atomic_fetch_add(&arena.header()->switched_on, 1, __ATOMIC_SEQ_CST);
  SetBit(arena.header(), kTraceOff, !on);
  ForEachPlace(arena, [&](Location* location) {
    if (on) __atomic_store_n(&location->log_limit, 0, __ATOMIC_SEQ_CST);
    TellTrace(arena.header(), location);
  });
}

// Threads pause with the next function they enter, and go on with the next one they enter or leave.
inline void PauseOf(const MappedArena& arena, bool on) {
  SetBit(arena.header(), kPaused, on);
  if (!on) return;
  ForEachPlace(arena, [](Location* location) { __atomic_store_n(&location->limit, 0, __ATOMIC_SEQ_CST); });
}

// Threads write their traces before the next event that they log.
inline void FlushOf(const MappedArena& arena) {
  __atomic_fetch_add(&arena.header()->flush_requests, 1, __ATOMIC_SEQ_CST);
  ForEachPlace(arena, [](Location* location) { __atomic_store_n(&location->log_limit, 0, __ATOMIC_SEQ_CST); });
}

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_CONTROL_H_
