// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/objects.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "runtime/base/forked.h"

namespace epik::episode {
namespace {

// One line of /proc/self/maps after the other.
class Maps {
 public:
  Maps() : fd_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~Maps() {
    if (fd_ >= 0) close(fd_);
  }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  // Null at the end. The line is the caller's until the next one is asked for.
  char* NextLine() {
    for (;;) {
      char* begin = text_ + at_;
      if (char* end = static_cast<char*>(std::memchr(begin, '\n', used_ - at_)); end != nullptr) {
        *end = '\0';
        at_ = static_cast<size_t>(end + 1 - text_);
        return begin;
      }
      std::memmove(text_, begin, used_ - at_);
      used_ -= at_;
      at_ = 0;
      const ssize_t n = fd_ < 0 ? 0 : read(fd_, text_ + used_, sizeof text_ - used_);
      if (n <= 0) return nullptr;
      used_ += static_cast<size_t>(n);
    }
  }

 private:
  int fd_;
  size_t at_ = 0, used_ = 0;
  char text_[2 * 4096];  // a path and what stands before it
};

uint64_t TakeHex(const char** at) {
  uint64_t value = 0;
  for (;; ++*at) {
    const char c = **at;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return value;
    value = value * 16 + static_cast<uint64_t>(digit);
  }
}

struct Mapping {
  uint64_t begin = 0, end = 0, offset = 0;
  bool readable = false, executable = false;
  const char* path = "";
};

// begin-end rwxp offset device inode path
Mapping Parse(const char* line) {
  Mapping mapping;
  mapping.begin = TakeHex(&line);
  mapping.end = TakeHex(&++line);
  mapping.readable = *++line == 'r';
  mapping.executable = line[2] == 'x';
  line += std::strlen("rwxp ");
  mapping.offset = TakeHex(&line);
  if (const char* path = std::strchr(line, '/')) mapping.path = path;
  return mapping;
}

// The object that may begin with the mapping seen last. The mapping may also be a file that the program reads. The
// loader has loaded it if its code is mapped where its head says.
class Candidate {
 public:
  // The process has no other thread that could unmap the mapping.
  void Begin(const Mapping& first) {
    object_ = {};
    const uint64_t bytes = first.end - first.begin;
    const auto* head = reinterpret_cast<const ElfW(Ehdr)*>(first.begin);
    if (!first.readable || bytes < sizeof *head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phoff > bytes) return;
    if (head->e_phnum > (bytes - head->e_phoff) / sizeof(ElfW(Phdr))) return;
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(first.begin + head->e_phoff);
    for (int i = 0; i < head->e_phnum; ++i) {
      if (segments[i].p_type != PT_LOAD || segments[i].p_offset != 0) continue;
      object_.dlpi_addr = first.begin - segments[i].p_vaddr;
      object_.dlpi_phdr = segments;
      object_.dlpi_phnum = head->e_phnum;
      std::strncpy(path_, first.path, sizeof path_ - 1);
      object_.dlpi_name = path_;
      return;
    }
  }

  // Returns the object as the loader would describe it, if this is its code.
  dl_phdr_info* WithCode(const Mapping& code) {
    if (object_.dlpi_phdr == nullptr || std::strncmp(code.path, path_, sizeof path_ - 1) != 0) return nullptr;
    for (int i = 0; i < object_.dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object_.dlpi_phdr[i];
      const uint64_t begin = object_.dlpi_addr + segment.p_vaddr;
      const bool has_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
      if (has_code && begin >= code.begin && begin < code.end) return &object_;
    }
    return nullptr;
  }

 private:
  dl_phdr_info object_ = {};
  char path_[4096] = "";
};

}  // namespace

int ForEachMappedObject(LookAtObject look, void* data) {
  Maps maps;
  Candidate candidate;
  while (const char* line = maps.NextLine()) {
    const Mapping mapping = Parse(line);
    if (mapping.path[0] != '/') continue;
    if (mapping.offset == 0) candidate.Begin(mapping);
    dl_phdr_info* object = mapping.executable ? candidate.WithCode(mapping) : nullptr;
    if (object == nullptr) continue;
    if (const int result = look(object, sizeof *object, data); result != 0) return result;
  }
  return 0;
}

int ForEachObject(LookAtObject look, void* data) {
  return base::LocksMayBeLost() ? ForEachMappedObject(look, data) : dl_iterate_phdr(look, data);
}

}  // namespace epik::episode
