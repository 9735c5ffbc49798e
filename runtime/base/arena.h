// SPDX-License-Identifier: BSD-3-Clause
// The memory of one process's measurement: a file mapped shared, handed out in chunks. 32-bit numbers name its lines.
//
// The bytes outlive the process, however it ends; `epk recover` and `epk top` read them, too (docs/formats.md). No file
// descriptor is kept, so after Create the program may close files, chroot or setuid as it likes. Chunks are populated
// before anything is written to them, so that a full disk is an error here and not a SIGBUS later.
#ifndef EPIK_RUNTIME_BASE_ARENA_H_
#define EPIK_RUNTIME_BASE_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::base {

inline constexpr size_t kLineBytes = 64;
inline constexpr uint32_t kChunkLines = 256;  // every chunk is a multiple of this, so a reader can find the next one
inline constexpr uint32_t kChunkMagic = 0x434b5045;  // "EPKC"

enum class ChunkKind : uint16_t {
  kFree = 0,
  kLocation,
  kNodes,
  kFrames,
  kDefinitions,
  kRetired,
  kTrace,
  kCollectives,
  kStatistics
};

// The first line of every chunk.
struct ChunkHeader {
  uint32_t magic;
  ChunkKind kind;
  uint16_t reserved;
  uint32_t lines;  // with this one
  uint32_t owner;  // line of the location it belongs to; 0: the process
  uint32_t used;   // how much a reader may trust, in the unit of the kind; written after the data
  // For chunks of traces; `next` also for chunks of locations:
  uint32_t order;  // 1, 2, 3 … within its location's stream; 0: its words are in the trace file
  uint32_t next;   // private: chunk that follows
  uint32_t depth;  // frames of the stream that were open where it begins
  uint32_t node;   // the innermost of them
  uint32_t unused[7];
};
static_assert(sizeof(ChunkHeader) == kLineBytes);

// First bytes of the file; the rest of the first page belongs to the process header in runtime/event/layout.h.
struct ArenaHeader {
  char magic[8];        // kArenaMagic, written last
  uint32_t version;     // kArenaVersion
  uint32_t line_bytes;  // kLineBytes
  uint64_t bytes;       // of the mapping; the file is sparse beyond what is used
  uint32_t lines_used;  // watermark of chunks given out, atomic
  uint32_t first_line;  // of the first chunk
};

inline constexpr char kArenaMagic[8] = {'E', 'P', 'I', 'K', 'A', 'R', 'N', 'A'};
inline constexpr uint32_t kArenaVersion = 7;
inline constexpr uint32_t kFirstChunkLine = 128;

// Address at which the arena of this process begins; null before Create. Line n lies at arena_base + 64 n.
extern EPIK_HIDDEN char* arena_base;

enum class Backing { kFile, kAnonymous };

class Arena {
 public:
  // Maps `bytes` of a new file at `path`, or anonymous memory when path is null. Tries smaller sizes when the address
  // space is limited. Returns 0, or the errno of the failure.
  // With `locked`, takes an exclusive lock (flock) on the file and tells whether it has it. The file keeps the lock as
  // long as any process maps it, so others can ask the file whether someone may still write to it.
  static int Create(const char* path, uint64_t bytes, bool* locked = nullptr);
  static void Destroy();  // unmaps; for tests and for a forked child
  static void Forget();   // drops the mapping's name without unmapping: other threads may still write

  // A populated chunk of at least `lines` lines (with its header), or 0 when memory or disk is full.
  // Any thread, no lock.
  static uint32_t Allocate(ChunkKind kind, uint32_t owner, uint32_t lines);

  // Counts lines against the limit without handing them out, because call paths need as much memory outside of the
  // arena. False when there is no room. Any thread, no lock.
  static bool SetAside(uint32_t lines);

  // Whether an allocation ever failed, and how: ENOSPC, ENOMEM … 0 when it never did.
  static int Exhausted();
};

// Makes sure that every page of the range is there and writable; 0 or an errno. Also for private mappings.
int Populate(void* start, size_t bytes);

template <class T>
EPIK_HOT T* LineAt(uint32_t line) {
  return reinterpret_cast<T*>(arena_base + size_t{line} * kLineBytes);
}

inline uint32_t LineOf(const void* address) {
  return static_cast<uint32_t>(static_cast<uint64_t>(static_cast<const char*>(address) - arena_base) / kLineBytes);
}

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_ARENA_H_
