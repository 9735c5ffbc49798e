// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/neighbours.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "runtime/episode/workplace.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace epik::episode {

using base::ChunkHeader;
using base::ChunkKind;
using base::kLineBytes;
using event::MappedArena;
using event::RecordHeader;
using event::RecordType;

namespace {

// Of a file on a full disk not every page can be had: who touches such a page dies of SIGBUS.
bool IsReadable(const MappedArena& arena, uint64_t line, uint64_t lines) {
  if ((line + lines) * kLineBytes > arena.bytes) return false;
  const uint64_t begin = line * kLineBytes & ~uint64_t{4095};
  const uint64_t bytes = ((line + lines) * kLineBytes - begin + 4095) & ~uint64_t{4095};
  return madvise(arena.base + begin, std::min(bytes, arena.bytes - begin), MADV_POPULATE_READ) == 0 || errno == EINVAL;
}

bool HasOurRank(const event::RankRun* runs, uint32_t count) {
  const int32_t rank = event::Process()->rank;
  for (uint32_t i = 0; i < count; ++i) {
    const event::RankRun& run = runs[i];
    for (int32_t k = 0; k < run.count; ++k) {
      if (run.first + k * run.step == rank) return true;
    }
  }
  return false;
}

// Null: it is none that we could read, or none of this job and clock.
char* MapArena(const char* path, uint64_t* bytes) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return nullptr;
  struct stat info = {};
  void* at = MAP_FAILED;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= 4096) {
    at = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
  }
  close(fd);
  if (at == MAP_FAILED) return nullptr;
  *bytes = static_cast<uint64_t>(info.st_size);
  return static_cast<char*>(at);
}

bool IsOfThisJob(const MappedArena& arena) {
  if (!IsReadable(arena, 0, 1)) return false;
  const event::ProcessHeader& mine = *event::Process();
  const event::ProcessHeader& other = *arena.header();
  return std::memcmp(other.arena.magic, base::kArenaMagic, sizeof base::kArenaMagic) == 0 &&
         other.arena.version == base::kArenaVersion && other.timer == mine.timer && other.ranks == mine.ranks &&
         other.rank >= 0 && other.rank != mine.rank &&
         std::strncmp(other.boot_id, mine.boot_id, sizeof mine.boot_id) == 0;
}

bool IsKnown(Table<Neighbour>& neighbours, int32_t rank) {
  for (const Neighbour& known : neighbours) {
    if (known.rank == rank) return true;
  }
  return false;
}

void AddNeighbour(const char* path, Table<Neighbour>* neighbours) {
  MappedArena arena = {};
  arena.base = MapArena(path, &arena.bytes);
  if (arena.base == nullptr) return;
  Neighbour* added = nullptr;
  if (IsOfThisJob(arena) && !IsKnown(*neighbours, arena.header()->rank)) added = neighbours->Add();
  if (added == nullptr) {
    munmap(arena.base, arena.bytes);
    return;
  }
  *added = {arena.header()->rank, arena};
}

}  // namespace

void ArenaReader::Update() {
  const auto* header = reinterpret_cast<const base::ArenaHeader*>(arena_.base);
  const uint64_t end = __atomic_load_n(&header->lines_used, __ATOMIC_ACQUIRE);
  while (uint64_t{line_} + base::kChunkLines <= end && IsReadable(arena_, line_, 1)) {
    const auto* chunk = reinterpret_cast<const ChunkHeader*>(arena_.base + uint64_t{line_} * kLineBytes);
    if (__atomic_load_n(&chunk->magic, __ATOMIC_ACQUIRE) != base::kChunkMagic) break;  // it is being made
    const uint32_t lines = chunk->lines;
    if (lines < base::kChunkLines || line_ + uint64_t{lines} > end) break;
    const bool wanted = chunk->kind == ChunkKind::kDefinitions || chunk->kind == ChunkKind::kCollectives;
    if (wanted && IsReadable(arena_, line_, lines)) {
      if (chunk->kind == ChunkKind::kCollectives) {
        if (uint32_t* ring = rings_.Add()) *ring = line_;
      } else {
        ReadDefinitions();  // the rest of the chunk before, to which nothing is added any more
        definitions_ = line_;
        offset_ = 0;
      }
    }
    line_ += lines;
  }
  ReadDefinitions();
}

void ArenaReader::ReadDefinitions() {
  if (definitions_ == 0) return;
  const char* start = arena_.base + uint64_t{definitions_} * kLineBytes;
  const auto* chunk = reinterpret_cast<const ChunkHeader*>(start);
  const uint64_t room = uint64_t{chunk->lines - 1} * kLineBytes;
  const uint64_t used = std::min<uint64_t>(__atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE), room);
  while (offset_ + sizeof(RecordHeader) <= used) {
    const char* record = start + kLineBytes + offset_;
    RecordHeader header;
    std::memcpy(&header, record, sizeof header);
    if (header.bytes > used - offset_ - sizeof header) return;
    if (header.type == RecordType::kCommunicator) AddCommunicator(record + sizeof header, header.bytes);
    offset_ += static_cast<uint32_t>(sizeof header + ((uint64_t{header.bytes} + 7) & ~uint64_t{7}));
  }
}

void ArenaReader::AddCommunicator(const char* payload, uint32_t bytes) {
  event::CommunicatorRecord record;
  if (bytes < sizeof record) return;
  std::memcpy(&record, payload, sizeof record);
  const uint64_t runs = uint64_t{record.own_runs} + record.remote_runs;
  constexpr uint32_t kMostNumbers = 1u << 24;
  if (sizeof record + runs * sizeof(event::RankRun) > bytes || record.number >= kMostNumbers) return;
  DefinedCommunicator* made = communicators_.Slot(record.number);
  if (made == nullptr) return;
  *made = {};
  made->runs = reinterpret_cast<const event::RankRun*>(payload + sizeof record);
  made->run_count = record.own_runs;
  made->has_us = HasOurRank(made->runs, static_cast<uint32_t>(runs));
  made->members = {record.id, record.number, record.rank, 0, record.remote_runs != 0, false};
  for (uint32_t i = 0; i < record.own_runs; ++i) made->members.size += static_cast<uint32_t>(made->runs[i].count);
}

const DefinedCommunicator* ArenaReader::Find(uint32_t number) {
  const bool known = number < communicators_.size() && communicators_[number].members.size != 0;
  return known ? &communicators_[number] : nullptr;
}

const DefinedCommunicator* ArenaReader::FindById(uint64_t id, uint32_t likely_number) {
  const DefinedCommunicator* likely = Find(likely_number);
  if (likely != nullptr && likely->members.id == id) return likely;
  for (uint32_t number = communicators_.size(); number-- > 0;) {
    const DefinedCommunicator* known = Find(number);
    if (known != nullptr && known->members.id == id) return known;
  }
  return nullptr;
}

void ArenaReader::Clear() {
  rings_.Clear();
  communicators_.Clear();
}

// A program whose address space is limited needs it itself.
void FindNeighbours(Table<Neighbour>* neighbours) {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  static char path[4352];  // the caller's stack may be small, and only one thread at a time is here
  if (UnfinishedArchive()[0] == '\0') return;
  std::snprintf(path, sizeof path, "%s/arenas", UnfinishedArchive());
  DIR* folder = opendir(path);
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    const size_t length = std::strlen(entry->d_name);
    constexpr size_t kSuffix = sizeof ".arena" - 1;
    if (length <= kSuffix || std::strcmp(entry->d_name + length - kSuffix, ".arena") != 0) continue;
    std::snprintf(path, sizeof path, "%s/arenas/%s", UnfinishedArchive(), entry->d_name);
    AddNeighbour(path, neighbours);
  }
  closedir(folder);
}

void ForgetNeighbours(Table<Neighbour>* neighbours) {
  for (Neighbour& neighbour : *neighbours) munmap(neighbour.arena.base, neighbour.arena.bytes);
  neighbours->Clear();
}

bool AreNeighbours(Table<Neighbour>& neighbours, const event::RankRun* runs, uint32_t count) {
  const int32_t mine = event::Process()->rank;
  for (uint32_t i = 0; i < count; ++i) {
    for (int32_t k = 0; k < runs[i].count; ++k) {
      const int32_t rank = runs[i].first + k * runs[i].step;
      if (rank != mine && !IsKnown(neighbours, rank)) return false;
    }
  }
  return true;
}

}  // namespace epik::episode
