// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/shared_board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "runtime/base/arena.h"
#include "runtime/episode/workplace.h"
#include "runtime/event/control.h"

namespace epik::monitor {

namespace {

constexpr uint64_t kProcessesOfCore = 4;  // if there are more, they share the room

struct Mapped {
  bool tried = false;
  void* memory = nullptr;
  uint64_t bytes = 0;
};
constinit Mapped mapped;

// The name is the same in all processes that can compare their clocks. Processes that want another size get another
// board.
std::string NameOfBoard(uint64_t bytes) {
  const event::ProcessHeader& process = *event::Process();
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (const char c : process.boot_id) {
    if (c == '\0') break;
    add(static_cast<unsigned char>(c));
  }
  add(static_cast<unsigned char>(process.timer));
  char name[64];
  std::snprintf(name, sizeof name, "%016llx.%llu.waits", static_cast<unsigned long long>(hash),
                static_cast<unsigned long long>(bytes));
  return name;
}

// Returns the number of notes for all threads of the machine.
uint64_t NotesOfAll(uint64_t notes) {
  const auto cores = static_cast<uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
  return std::min<uint64_t>(event::Process()->ranks, kProcessesOfCore * cores) * notes;
}

// Whether the program's address space or files are limited: then the program needs them itself.
bool IsLimited() {
  for (const auto resource : {RLIMIT_AS, RLIMIT_FSIZE}) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return true;
  }
  return false;
}

// Opens the file; bytes that nobody has written are zero. Negative: this is not possible.
int OpenFile(const std::string& path, uint64_t bytes) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return -1;
  struct stat info = {};
  const bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  if (ours && ftruncate(fd, static_cast<off_t>(bytes)) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

void OpenSharedBoard(const BoardRoom& room, Board* board, Pages* pages) {
  if (mapped.tried) return;
  mapped.tried = true;
  if (IsLimited() || event::Process()->ranks == 0) return;  // a process alone may send messages to itself
  const uint64_t cells = NotesOfAll(room.cells), on_pages = NotesOfAll(room.calls) / kOperationsOfPage;
  const uint64_t board_bytes = cells == 0 ? 0 : Board::BytesFor(cells);
  const uint64_t bytes = board_bytes + Pages::BytesFor(on_pages);
  const std::string path = episode::SharedFile(NameOfBoard(bytes));
  const int fd = path.empty() ? -1 : OpenFile(path, bytes);
  if (fd < 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return;
  madvise(memory, bytes, MADV_DONTDUMP);
  // On a full disk, the program would die when it touches a page that is not there.
  if (base::Populate(memory, bytes) != 0) {
    munmap(memory, bytes);
    return;
  }
  mapped.memory = memory;
  mapped.bytes = bytes;
  if (cells != 0) board->Open(memory, cells);
  pages->Open(static_cast<char*>(memory) + board_bytes, on_pages);
}

void RemoveSharedBoard() {
  if (mapped.memory == nullptr) return;
  const std::string name = NameOfBoard(mapped.bytes);
  episode::RemoveSharedFile(name);
}

void ForgetSharedBoard(Board* board, Pages* pages) {
  if (mapped.memory != nullptr) munmap(mapped.memory, mapped.bytes);
  board->Close();
  pages->Close();
  mapped = {};
}

}  // namespace epik::monitor
