// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a thread's collective calls that the job computes itself (EPK_MONITOR_STATISTICS), in its arena. Its
// thread writes them while monitors read them (docs/formats.md).
#ifndef EPIK_RUNTIME_EVENT_STATISTICS_H_
#define EPIK_RUNTIME_EVENT_STATISTICS_H_

#include <cstdint>

#include "runtime/event/collectives.h"
#include "runtime/event/control.h"
#include "runtime/event/layout.h"
#include "runtime/event/summary.h"
#include "runtime/event/words.h"

namespace epik::event {

// The second line of the first chunk.
struct StatisticsHead {
  uint64_t waited;   // ticks, of all calls: until the last process came, or until the call came back
  uint64_t unknown;  // calls that are in no statistics
  uint64_t state;    // private
  uint64_t reserved[5];
};
static_assert(sizeof(StatisticsHead) == base::kLineBytes);

// The calls of one call path so far, in ticks. Rows begin with the third line of a chunk, which counts those that are
// used; `next` of its header is the line of the chunk that follows.
struct StatisticsRow {
  uint64_t version;  // odd: it is being written
  uint32_t node;     // of the calls
  uint32_t reserved;
  Summary total;      // from the enter to the exit
  Summary arrival;    // from the enter to that of the last process; 0: the call ended before that
  Summary departure;  // from the exit of the first process to the exit
  uint64_t unused[4];
};
static_assert(sizeof(StatisticsRow) == 3 * base::kLineBytes);
inline constexpr uint32_t kRowsOfChunk = (base::kChunkLines - 2) * base::kLineBytes / sizeof(StatisticsRow);

// Statistics that another process may be writing.
class StatisticsView {
 public:
  StatisticsView(const MappedArena& arena, const Location* location) : arena_(arena) {
    const uint32_t ring = __atomic_load_n(&location->collectives, __ATOMIC_ACQUIRE);
    if (!RingView(arena, ring).IsThere()) return;
    first_ = __atomic_load_n(&RingAt(ring)->statistics, __ATOMIC_ACQUIRE);
    if (!IsChunk(first_)) first_ = 0;
  }

  bool IsThere() const { return first_ != 0; }
  uint64_t waited() const { return __atomic_load_n(&head()->waited, __ATOMIC_RELAXED); }
  uint64_t unknown() const { return __atomic_load_n(&head()->unknown, __ATOMIC_RELAXED); }

  // Calls take(line, row) for each row that is whole: one that is being written comes the next time.
  template <class Take>
  void ForEach(Take take) const {
    const uint64_t most = arena_.bytes / (base::kChunkLines * uint64_t{base::kLineBytes});
    uint32_t line = first_;
    for (uint64_t i = 0; i < most && IsChunk(line); ++i) {
      const base::ChunkHeader* chunk = ChunkAt(line);
      const uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
      for (uint32_t row = 0; row < used && row < kRowsOfChunk; ++row) {
        const uint32_t at = line + 2 + row * (sizeof(StatisticsRow) / base::kLineBytes);
        StatisticsRow copy;
        if (Copy(at, &copy)) take(at, copy);
      }
      line = __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE);
    }
  }

 private:
  const char* At(uint32_t line) const { return arena_.base + uint64_t{line} * base::kLineBytes; }
  const base::ChunkHeader* ChunkAt(uint32_t line) const { return reinterpret_cast<const base::ChunkHeader*>(At(line)); }
  const CollectiveRing* RingAt(uint32_t chunk) const { return reinterpret_cast<const CollectiveRing*>(At(chunk + 1)); }
  const StatisticsHead* head() const { return reinterpret_cast<const StatisticsHead*>(At(first_ + 1)); }
  bool IsChunk(uint32_t line) const {
    const uint64_t lines = arena_.bytes / base::kLineBytes;
    return line != 0 && uint64_t{line} + base::kChunkLines <= lines &&
           ChunkAt(line)->kind == base::ChunkKind::kStatistics;
  }
  bool Copy(uint32_t line, StatisticsRow* row) const {
    const auto* live = reinterpret_cast<const StatisticsRow*>(At(line));
    const uint64_t before = __atomic_load_n(&live->version, __ATOMIC_ACQUIRE);
    LoadWords(live, row);
    return before % 2 == 0 && __atomic_load_n(&live->version, __ATOMIC_RELAXED) == before;
  }

  MappedArena arena_;
  uint32_t first_ = 0;
};

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_STATISTICS_H_
