// SPDX-License-Identifier: BSD-3-Clause
// Switches a running measurement through its arena. The program itself, a handler of one of its signals, and `epk
// control` in another process use this code. It takes no lock and calls nothing.
//
// The request is in the header of the process. Values that threads look at anyway are changed, too, so that hooks need
// not look at the header: the threshold of the trace, which has effect at once; and the room for frames and for words
// of the trace, so that the next frame or word takes the rare way, which looks at the header. Threads write these
// values as well, and look at the header after that; so a request is written to the header first.
#ifndef EPIK_RUNTIME_EVENT_CONTROL_H_
#define EPIK_RUNTIME_EVENT_CONTROL_H_

#include "runtime/event/layout.h"

namespace epik::event {

enum ControlBits : uint32_t {
  kTraceOff = 1,
  kPaused = 2  // nothing is measured
};

// An arena that is mapped somewhere, up to its known size.
struct MappedArena {
  char* base;
  uint64_t bytes;

  ProcessHeader* header() const { return reinterpret_cast<ProcessHeader*>(base); }
};

// Visits every location that was made. Values that others may have written are checked before they are used.
template <class Change>
void ForEachPlace(const MappedArena& arena, Change change) {
  constexpr uint32_t kLines = sizeof(Location) / base::kLineBytes;
  const uint64_t end = arena.bytes / base::kLineBytes;
  uint32_t before = 0;
  uint32_t line = __atomic_load_n(&arena.header()->first_locations, __ATOMIC_ACQUIRE);
  // Chunks were given out in ascending order; this check makes sure that a damaged list cannot go in circles.
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

// Sets a location's values to what the header requests now.
inline void TellTrace(const ProcessHeader* header, Location* location) {
  const bool on = header->trace_bytes != 0 && (__atomic_load_n(&header->control, __ATOMIC_SEQ_CST) & kTraceOff) == 0;
  __atomic_store_n(&location->worth, on ? header->trace_switched : ~uint64_t{0}, __ATOMIC_RELAXED);
  const uint32_t collects = __atomic_load_n(&header->collects, __ATOMIC_RELAXED);
  __atomic_store_n(&location->log_kinds, (on ? header->trace_kinds : 0) | collects, __ATOMIC_RELAXED);
}

// From its first gap on, a trace tells which messages and operations it has (RecordKind::kTurn). So they are counted
// from then on, whether they are logged or not. Before, the trace had all of them.
inline void CountMessages(ProcessHeader* header) {
  if (header->trace_bytes == 0) return;
  __atomic_fetch_or(&header->collects, uint32_t{kNoteCollectives | kNoteMessages}, __ATOMIC_SEQ_CST);
}

inline void SetBit(ProcessHeader* header, ControlBits bit, bool on) {
  if (on) {
    __atomic_fetch_or(&header->control, uint32_t{bit}, __ATOMIC_SEQ_CST);
  } else {
    __atomic_fetch_and(&header->control, ~uint32_t{bit}, __ATOMIC_SEQ_CST);
  }
}

// Two that switch at the same moment may write one place: then one of the two is not noted.
inline void AddSwitch(ProcessHeader* header, uint64_t ticks, bool on) {
  uint32_t number = __atomic_load_n(&header->switches, __ATOMIC_SEQ_CST);
  __atomic_store_n(&header->switched[number % kKeptSwitches], SwitchWord(ticks, on), __ATOMIC_SEQ_CST);
  __atomic_compare_exchange_n(&header->switches, &number, number + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// `ticks`: now, by the timer of the process.
inline void SwitchTraceOf(const MappedArena& arena, bool on, uint64_t ticks) {
  if (on == IsWanted(arena, kTraceOff)) AddSwitch(arena.header(), ticks, on);
  if (!on) CountMessages(arena.header());
  SetBit(arena.header(), kTraceOff, !on);
  ForEachPlace(arena, [&](Location* location) {
    __atomic_store_n(&location->log_limit, 0, __ATOMIC_SEQ_CST);
    TellTrace(arena.header(), location);
  });
}

// Threads pause at the next function that they enter, and go on at the next one that they enter or leave.
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
