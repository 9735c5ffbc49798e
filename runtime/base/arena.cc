// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/arena.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace epik::base {

char* arena_base = nullptr;

namespace {

constexpr uint64_t kSmallestArena = 1u << 20;
constexpr uint64_t kHugePage = 2u << 20;
// The first part of the file is written before it is mapped. That is five times quicker than page faults in a hole, and
// the part is large enough for most programs. If the disk has no room even for this part, the caller can still choose
// another place.
constexpr uint64_t kWrittenAhead = 384u << 10;

uint64_t arena_bytes = 0;
std::atomic<int> exhausted{0};
std::atomic<uint64_t> set_aside{0};  // lines
bool file_is_allocated = false;      // whole, because this kernel cannot populate without the risk of SIGBUS

std::atomic_ref<uint32_t> LinesUsed() {
  return std::atomic_ref<uint32_t>(reinterpret_cast<ArenaHeader*>(arena_base)->lines_used);
}

void NoteExhausted(int error) {
  int expected = 0;
  exhausted.compare_exchange_strong(expected, error);
}

bool CanPopulate(void* page) { return madvise(page, 4096, MADV_POPULATE_WRITE) == 0 || errno != EINVAL; }

// A file larger than RLIMIT_FSIZE would raise SIGXFSZ in the program.
uint64_t AllowedFileBytes(uint64_t wanted) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  return wanted < limit.rlim_cur ? wanted : limit.rlim_cur / kLineBytes / kChunkLines * kLineBytes * kChunkLines;
}

// Maps at a multiple of a huge page, so that the kernel can map a large arena with one entry for 2 MiB.
void* MapAligned(int fd, uint64_t bytes, int flags) {
  void* reserved = mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  const uint64_t begin = reinterpret_cast<uint64_t>(reserved);
  const uint64_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  void* start = mmap(reinterpret_cast<void*>(aligned), bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
  if (start == MAP_FAILED) {
    munmap(reserved, bytes + kHugePage);
    return MAP_FAILED;
  }
  if (aligned != begin) munmap(reserved, aligned - begin);
  const uint64_t behind = begin + kHugePage - aligned;
  if (behind != 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
  return start;
}

int WriteAhead(int fd, uint64_t bytes) {
  static const char zeros[64 << 10] = {};
  for (uint64_t at = 0; at < bytes; at += sizeof zeros) {
    const ssize_t n = pwrite(fd, zeros, sizeof zeros, static_cast<off_t>(at));
    if (n != static_cast<ssize_t>(sizeof zeros)) return n < 0 ? errno : ENOSPC;
  }
  return 0;
}

// Small programs must stay small: only the memory beyond the first 2 MiB uses huge pages. In the first 2 MiB the kernel
// reads nothing ahead, because the file is a hole there.
void AdvisePages(char* start, uint64_t bytes) {
  const uint64_t small = bytes < kHugePage ? bytes : kHugePage;
  madvise(start, small, MADV_RANDOM);
  if (bytes > small) madvise(start + small, bytes - small, MADV_HUGEPAGE);
}

// If a program may use only little address space, most of it is left to the program.
uint64_t AllowedAddressBytes(uint64_t wanted) {
  constexpr uint64_t kShare = 16;
  uint64_t allowed = wanted;
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    if (limit.rlim_cur / kShare < allowed) allowed = limit.rlim_cur / kShare;
  }
  if (allowed == wanted) return wanted;
  const uint64_t whole = allowed / kLineBytes / kChunkLines * kLineBytes * kChunkLines;
  return whole < kSmallestArena ? kSmallestArena : whole;
}

void* MapWhatFits(int fd, uint64_t* bytes) {
  const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE;
  for (; *bytes >= kSmallestArena; *bytes /= 2) {
    if (fd >= 0 && ftruncate(fd, static_cast<off_t>(*bytes)) != 0) continue;
    void* start = MapAligned(fd, *bytes, flags);
    if (start != MAP_FAILED) return start;
  }
  return MAP_FAILED;
}

// A lock belongs to the open file, and the mapping keeps that open when we close its descriptor. On overlayfs it does
// not, because the mapping is of another file than the descriptor. So this asks the file, as others will.
bool HasLock(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  const bool has = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return has;
}

}  // namespace

int Populate(void* start, size_t bytes) {
  if (madvise(start, bytes, MADV_POPULATE_WRITE) == 0) return 0;
  if (errno == EFAULT) return ENOSPC;  // a write would have raised SIGBUS
  if (errno != EINVAL) return errno;
  // Kernels before 5.14 have no MADV_POPULATE_WRITE. Touching the pages is safe there, except in a sparse file.
  for (size_t at = 0; at < bytes; at += 4096) {
    volatile char* byte = static_cast<char*>(start) + at;
    *byte = *byte;
  }
  return 0;
}

int Arena::Create(const char* path, uint64_t bytes, bool* locked) {
  exhausted = 0;
  set_aside = 0;
  file_is_allocated = false;
  if (bytes < kSmallestArena) bytes = kSmallestArena;
  int fd = -1;
  if (path != nullptr) {
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    fchmod(fd, 0600);  // with any umask: `epk recover` has to read the file
    bytes = AllowedFileBytes(bytes);
    if (locked != nullptr) flock(fd, LOCK_EX | LOCK_NB);
  }
  bytes = AllowedAddressBytes(bytes);
  void* start = MapWhatFits(fd, &bytes);
  int error = start == MAP_FAILED ? (errno != 0 ? errno : ENOMEM) : 0;
  if (error == 0) AdvisePages(static_cast<char*>(start), bytes);
  if (error == 0 && fd >= 0) error = WriteAhead(fd, kWrittenAhead);
  if (error == 0 && fd >= 0 && !CanPopulate(start)) {
    // Without populate-or-fail, the disk space must be allocated before the first write.
    bytes = bytes < (64u << 20) ? bytes : (64u << 20);
    error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    file_is_allocated = error == 0;
  }
  if (error == 0) error = Populate(start, kFirstChunkLine * kLineBytes);
  if (fd >= 0) close(fd);
  if (error != 0) {
    if (start != MAP_FAILED) munmap(start, bytes);
    if (path != nullptr) unlink(path);
    return error;
  }
  if (locked != nullptr) *locked = path != nullptr && HasLock(path);
  madvise(start, bytes, MADV_DONTDUMP);  // a core dump is the program's, not ours
  arena_bytes = bytes;
  auto* header = static_cast<ArenaHeader*>(start);
  header->version = kArenaVersion;
  header->line_bytes = kLineBytes;
  header->bytes = bytes;
  header->first_line = kFirstChunkLine;
  header->lines_used = kFirstChunkLine;
  uint64_t magic;  // a reader that finds it may trust the other fields
  std::memcpy(&magic, kArenaMagic, sizeof magic);
  __atomic_store_n(reinterpret_cast<uint64_t*>(header->magic), magic, __ATOMIC_RELEASE);
  arena_base = static_cast<char*>(start);
  return 0;
}

void Arena::Destroy() {
  if (arena_base != nullptr) munmap(arena_base, arena_bytes);
  arena_base = nullptr;
}

void Arena::Forget() { arena_base = nullptr; }

int Arena::Exhausted() { return exhausted; }

uint32_t Arena::Allocate(ChunkKind kind, uint32_t owner, uint32_t lines) {
  lines = (lines + kChunkLines - 1) / kChunkLines * kChunkLines;
  const uint64_t limit = arena_bytes / kLineBytes - set_aside;
  uint32_t line = LinesUsed().load(std::memory_order_relaxed);
  do {
    if (exhausted != 0 || uint64_t{line} + lines > limit) {
      NoteExhausted(ENOMEM);
      return 0;
    }
  } while (!LinesUsed().compare_exchange_weak(line, line + lines, std::memory_order_acq_rel));
  auto* header = LineAt<ChunkHeader>(line);
  const int saved_errno = errno;
  const int error = Populate(header, size_t{lines} * kLineBytes);
  errno = saved_errno;
  if (error != 0) {
    NoteExhausted(error);
    // Readers must not touch pages that are not there, either: in a full tmpfs they get SIGBUS.
    uint32_t end = line + lines;
    LinesUsed().compare_exchange_strong(end, line);
    return 0;
  }
  header->kind = kind;
  header->lines = lines;
  header->owner = owner;
  header->used = 0;
  // A reader that finds the magic may trust the other fields.
  std::atomic_ref<uint32_t>(header->magic).store(kChunkMagic, std::memory_order_release);
  return line;
}

bool Arena::SetAside(uint32_t lines) {
  const uint64_t limit = arena_bytes / kLineBytes;
  uint64_t before = set_aside;
  do {
    if (exhausted != 0 || before + lines + LinesUsed() > limit) {
      NoteExhausted(ENOMEM);
      return false;
    }
  } while (!set_aside.compare_exchange_weak(before, before + lines));
  return true;
}

}  // namespace epik::base
