// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/counters/files.h"

#include <cstring>

#include "runtime/base/arena.h"
#include "runtime/base/compiler.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/event/files.h"

namespace epik::counters {

using event::FileUse;

namespace {

constexpr uint32_t kSlots = 2048;
struct Table {
  base::SpinLock lock;
  uint32_t process = 1;  // other in a forked child, whose arena is another one
  uint32_t files = 0;
  uint32_t other = 0;
  uint32_t places[kSlots] = {};  // of records, in units of 8 bytes of the arena; 0: free
};
constinit Table table;

FileUse* UseAt(uint32_t place) {
  return reinterpret_cast<FileUse*>(base::arena_base + uint64_t{place} * 8 + sizeof(event::RecordHeader));
}
const char* PathAt(uint32_t place) { return reinterpret_cast<const char*>(UseAt(place) + 1); }

uint32_t* FindSlot(const char* path) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char* c = path; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
  for (uint32_t i = static_cast<uint32_t>(hash >> 32) % kSlots;; i = (i + 1) % kSlots) {
    if (table.places[i] == 0 || std::strcmp(PathAt(table.places[i]), path) == 0) return &table.places[i];
  }
}

// 0: no memory.
uint32_t DefineFile(const char* path) {
  const FileUse use = {};
  const episode::Piece pieces[] = {{&use, sizeof use}, {path, std::strlen(path) + 1}};
  const char* record = episode::DefineAt(event::RecordType::kFile, pieces, 2);
  return record == nullptr ? 0 : static_cast<uint32_t>((record - base::arena_base) / 8);
}

uint32_t PlaceOf(const char* path) {
  uint32_t* slot = FindSlot(path);
  if (*slot != 0) return *slot;
  if (table.files < event::kMostFiles) {
    *slot = DefineFile(path);
    table.files += *slot != 0 ? 1 : 0;
    return *slot;
  }
  if (table.other == 0) table.other = DefineFile(event::kOtherFiles);
  return table.other;
}

void Forget() {
  table.lock.Reset();
  ++table.process;
  table.files = 0;
  table.other = 0;
  std::memset(table.places, 0, sizeof table.places);
}

}  // namespace

uint64_t NumberOfFile(const char* path) {
  if (!episode::EnsureStarted()) return 0;
  const episode::Inside guard;
  const base::Locked lock(table.lock);
  const uint32_t place = PlaceOf(path);
  return place == 0 ? 0 : uint64_t{table.process} << 32 | place;
}

bool AddFileCall(uint64_t file, event::FileCall call, uint64_t bytes, uint64_t ns) {
  const auto kind = static_cast<uint32_t>(call);
  if (file >> 32 != table.process || kind >= event::kFileCalls) return false;
  FileUse* use = UseAt(static_cast<uint32_t>(file));
  __atomic_fetch_add(&use->calls[kind], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&use->ns[kind], ns, __ATOMIC_RELAXED);
  uint64_t* moved = call == event::FileCall::kRead ? &use->bytes_read : &use->bytes_written;
  if (bytes != 0) __atomic_fetch_add(moved, bytes, __ATOMIC_RELAXED);
  return true;
}

const episode::Part files_part = {.name = "files", .forget = Forget};

}  // namespace epik::counters
