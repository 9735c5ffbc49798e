// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/definitions.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "runtime/base/arena.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/seams_hot.h"

namespace epik::episode {

using base::Arena;
using base::ChunkHeader;
using base::ChunkKind;
using base::kLineBytes;
using base::LineAt;
using event::RecordHeader;
using event::RecordType;

namespace {

struct Definitions {
  base::SpinLock lock;
  uint32_t chunk = 0;
  uint32_t regions = 0;
  // Region records of the process that forked this one.
  char* inherited = nullptr;
  size_t inherited_bytes = 0;
};
constinit Definitions defined;

size_t Padded(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

// Returns the place of the next record, in a chunk that has room for it.
char* MakeRoom(size_t bytes) {
  ChunkHeader* chunk = LineAt<ChunkHeader>(defined.chunk);
  if (defined.chunk == 0 || kLineBytes + chunk->used + bytes > size_t{chunk->lines} * kLineBytes) {
    const uint32_t next = Arena::Allocate(ChunkKind::kDefinitions, 0, static_cast<uint32_t>(bytes / kLineBytes + 2));
    if (next == 0) return nullptr;
    defined.chunk = next;
    chunk = LineAt<ChunkHeader>(next);
  }
  return reinterpret_cast<char*>(chunk) + kLineBytes + chunk->used;
}

// Returns the record's place, or null.
const char* DefineLocked(RecordType type, const Piece* pieces, size_t count) {
  size_t payload = 0;
  for (size_t i = 0; i < count; ++i) payload += pieces[i].bytes;
  if (payload > (64u << 20)) return nullptr;
  const size_t bytes = sizeof(RecordHeader) + Padded(payload);
  char* at = MakeRoom(bytes);
  if (at == nullptr) return nullptr;
  const char* const record = at;
  const RecordHeader header{type, 0, static_cast<uint32_t>(payload)};
  std::memcpy(at, &header, sizeof header);
  at += sizeof header;
  for (size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) std::memcpy(at, pieces[i].data, pieces[i].bytes);
    at += pieces[i].bytes;
  }
  std::atomic_ref<uint32_t>(LineAt<ChunkHeader>(defined.chunk)->used)
      .fetch_add(static_cast<uint32_t>(bytes), std::memory_order_release);
  return record;
}

// The defined regions: open addressing over the places of their records, in units of 8 bytes.
constexpr uint32_t kRegionSlots = 1u << 20;
constexpr uint32_t kMostRegions = kRegionSlots / 4 * 3;
uint32_t region_slots[kRegionSlots];     // untouched pages cost nothing
uint32_t place_of_region[kMostRegions];  // the same places by number

struct RegionName {
  const char* name;
  const char* file;
  int line;
  event::Role role;
  event::Paradigm paradigm;
};

uint32_t Hash(const RegionName& region) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](const char* text) {
    for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
    hash = (hash ^ 0xff) * 0x100000001b3u;
  };
  mix(region.name);
  mix(region.file);
  hash = (hash ^ static_cast<uint64_t>(region.line)) * 0x100000001b3u;
  hash = (hash ^ static_cast<uint64_t>(region.role) << 8 ^ static_cast<uint64_t>(region.paradigm)) * 0x100000001b3u;
  return static_cast<uint32_t>(hash >> 32) & (kRegionSlots - 1);
}

uint32_t LoadPlace(const uint32_t* from) { return __atomic_load_n(from, __ATOMIC_ACQUIRE); }
void StorePlace(uint32_t* to, uint32_t place) { __atomic_store_n(to, place, __ATOMIC_RELEASE); }

// The slot of the region, or the empty one where it belongs. Without the lock, another thread may fill the empty one.
uint32_t* FindSlot(const RegionName& wanted) {
  for (uint32_t i = Hash(wanted);; i = (i + 1) & (kRegionSlots - 1)) {
    const uint32_t place = LoadPlace(&region_slots[i]);
    if (place == 0) return &region_slots[i];
    const char* record = base::arena_base + uint64_t{place} * 8 + sizeof(RecordHeader);
    event::RegionRecord region;
    std::memcpy(&region, record, sizeof region);
    const char* name = record + sizeof region;
    if (region.line == wanted.line && region.role == wanted.role && region.paradigm == wanted.paradigm &&
        std::strcmp(name, wanted.name) == 0 && std::strcmp(name + std::strlen(name) + 1, wanted.file) == 0) {
      return &region_slots[i];
    }
  }
}

uint32_t NumberOf(uint32_t slot) {
  event::RegionRecord region;
  std::memcpy(&region, base::arena_base + uint64_t{slot} * 8 + sizeof(RecordHeader), sizeof region);
  return region.region;
}

uint32_t NewNumber(event::Role role) {
  uint32_t number = event::kFirstDefinedRegion + defined.regions;
  if (role == event::Role::kParameter) number |= event::kParameterBit;
  if (role == event::Role::kMetric) number |= event::kMetricBit;
  return number;
}

uint32_t IndexOf(uint32_t region) {
  return (region & ~(event::kParameterBit | event::kMetricBit)) - event::kFirstDefinedRegion;
}

const char* RecordAt(uint32_t place) { return base::arena_base + uint64_t{place} * 8; }

uint32_t PlaceOf(const char* record) { return static_cast<uint32_t>((record - base::arena_base) / 8); }

// Readers of names take no lock.
void NotePlace(uint32_t region, uint32_t place) { StorePlace(&place_of_region[IndexOf(region)], place); }

// Header and payload of a region whose number the program may hold; 0 bytes for any other.
size_t BytesToInherit(uint32_t place) {
  if (place == 0) return 0;
  RecordHeader header;
  event::RegionRecord region;
  std::memcpy(&header, RecordAt(place), sizeof header);
  std::memcpy(&region, RecordAt(place) + sizeof header, sizeof region);
  return region.role == event::Role::kParameter ? 0 : sizeof header + Padded(header.bytes);
}

void PutAside() {
  if (defined.inherited != nullptr) return;  // from this process's own parent, and not written yet
  size_t bytes = 0;
  for (uint32_t i = 0; i < defined.regions; ++i) bytes += BytesToInherit(place_of_region[i]);
  defined.inherited_bytes = 0;
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // no names then, but no wrong ones: numbers come only once
  defined.inherited = static_cast<char*>(memory);
  for (uint32_t i = 0; i < defined.regions; ++i) {
    const size_t n = BytesToInherit(place_of_region[i]);
    std::memcpy(defined.inherited + defined.inherited_bytes, RecordAt(place_of_region[i]), n);
    defined.inherited_bytes += n;
  }
}

}  // namespace

const char* DefineAt(RecordType type, const Piece* pieces, size_t count) {
  base::Locked lock(defined.lock);
  return DefineLocked(type, pieces, count);
}

bool Define(RecordType type, const Piece* pieces, size_t count) { return DefineAt(type, pieces, count) != nullptr; }

bool Define(RecordType type, const char* text) {
  const Piece piece{text, std::strlen(text)};
  return Define(type, &piece, 1);
}

// REQUIRES: the lock.
static void TellFull() {
  static bool said = false;
  if (said) return;
  said = true;
  constexpr char kText[] =
      "the program has more regions, parameter values and metrics of its own than can be told apart (786 432): the "
      "time "
      "of others stays with their callers";
  const Piece piece{kText, sizeof kText - 1};
  DefineLocked(RecordType::kNote, &piece, 1);
}

uint32_t DefineRegion(const char* name, const char* file, int line, event::Role role, event::Paradigm paradigm) {
  if (name == nullptr) name = "";
  if (file == nullptr) file = "";
  const RegionName wanted{name, file, line, role, paradigm};
  if (const uint32_t known = LoadPlace(FindSlot(wanted)); known != 0) return NumberOf(known);
  const bool is_out = choice::RegionIsOut({0, name, file, role, paradigm});
  const base::SignalsBlocked blocked;  // a handler that defines a region would wait for this thread's lock for ever
  base::Locked lock(defined.lock);
  uint32_t* slot = FindSlot(wanted);
  if (*slot != 0) return NumberOf(*slot);
  if (defined.regions == kMostRegions) {
    TellFull();
    return 0;
  }
  const event::RegionRecord record{NewNumber(role), line, role, paradigm, {}};
  const Piece pieces[] = {{&record, sizeof record}, {name, std::strlen(name) + 1}, {file, std::strlen(file) + 1}};
  const char* at = DefineLocked(RecordType::kRegion, pieces, 3);
  if (at == nullptr) return 0;
  NotePlace(record.region, PlaceOf(at));
  ++defined.regions;
  // If another thread makes a group of regions at this moment, either it finds the region among those defined, or we
  // find the group here.
  choice::NoteRegion({record.region, name, file, role, paradigm}, is_out);
  StorePlace(slot, PlaceOf(at));  // last: a thread that finds the region there enters it, so hooks must know of it
  return record.region;
}

void ForEachRegion(void (*visit)(const DefinedRegion&, void*), void* context) {
  for (const uint32_t& place : place_of_region) {
    const uint32_t at = LoadPlace(&place);
    if (at == 0) return;
    event::RegionRecord region;
    const char* payload = RecordAt(at) + sizeof(RecordHeader);
    std::memcpy(&region, payload, sizeof region);
    const char* name = payload + sizeof region;
    visit({region.region, name, name + std::strlen(name) + 1, region.role, region.paradigm}, context);
  }
}

void Note(const char* text) { Define(RecordType::kNote, text); }

const char* NameOfRegion(uint32_t region) {
  const uint32_t index = IndexOf(region);
  if (index >= kMostRegions) return nullptr;
  const uint32_t place = LoadPlace(&place_of_region[index]);
  return place == 0 ? nullptr : RecordAt(place) + sizeof(RecordHeader) + sizeof(event::RegionRecord);
}

// Gives whole pages back to the system. Pages are zero when they are touched next, and most were never touched.
static void ClearSlots() {
  constexpr uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<uintptr_t>(region_slots), end = begin + sizeof region_slots;
  const uintptr_t first = (begin + kPage - 1) & -kPage, last = end & -kPage;
  if (madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) != 0) {
    std::memset(region_slots, 0, sizeof region_slots);
    return;
  }
  std::memset(region_slots, 0, first - begin);
  std::memset(reinterpret_cast<void*>(last), 0, end - last);
}

void ForgetDefinitions() {
  defined.lock.Reset();
  defined.chunk = 0;
  // Another thread of the parent may have been between making a region and counting it.
  if (defined.regions < kMostRegions && place_of_region[defined.regions] != 0) ++defined.regions;
  PutAside();
  std::memset(place_of_region, 0, defined.regions * sizeof place_of_region[0]);
  if (defined.regions != 0) ClearSlots();
}

void RedefineRegions() {
  base::Locked lock(defined.lock);
  for (size_t at = 0; at < defined.inherited_bytes;) {
    RecordHeader header;
    event::RegionRecord region;
    const char* payload = defined.inherited + at + sizeof header;
    std::memcpy(&header, defined.inherited + at, sizeof header);
    std::memcpy(&region, payload, sizeof region);
    at += sizeof header + Padded(header.bytes);
    const char* name = payload + sizeof region;
    uint32_t* slot = FindSlot({name, name + std::strlen(name) + 1, region.line, region.role, region.paradigm});
    const Piece piece{payload, header.bytes};
    const char* record = DefineLocked(RecordType::kRegion, &piece, 1);
    if (record == nullptr) break;
    NotePlace(region.region, PlaceOf(record));
    StorePlace(slot, PlaceOf(record));
  }
  if (defined.inherited != nullptr) munmap(defined.inherited, defined.inherited_bytes);
  defined.inherited = nullptr;
  defined.inherited_bytes = 0;
}

}  // namespace epik::episode
