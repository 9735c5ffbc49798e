// SPDX-License-Identifier: BSD-3-Clause
// The GNU build-id of a module: the identity by which an address found on one rank is resolved on another machine.
// Used by the runtime core when it records modules, hence no libelf, no allocation, no lock: reading from memory is
// safe in a signal handler, reading from a file too. Only 64-bit modules of this machine's byte order are read.
#ifndef EPIK_ARCHIVE_SYMBOLS_BUILD_ID_H_
#define EPIK_ARCHIVE_SYMBOLS_BUILD_ID_H_

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace epik::symbols {

// Linkers write 8 (lld's fast), 16 (md5, uuid) or 20 bytes (sha1); --build-id=0x… can be of any length, and one
// longer than this counts as absent.
struct BuildId {
  static constexpr size_t kMaxBytes = 64;
  uint8_t size = 0;
  uint8_t bytes[kMaxBytes] = {};

  bool empty() const { return size == 0; }
  std::string Hex() const;  // allocates: not for signal handlers
};

// Looks through the notes in [data, data + size). `align` is that of the segment or section: 8 or, else, 4.
// False when there is no build-id among them; nothing outside the range is read.
bool FindBuildId(const void* data, size_t size, size_t align, BuildId* id);

// From a module in memory, as dl_iterate_phdr reports it: bias = dlpi_addr, headers = dlpi_phdr, count = dlpi_phnum.
// Only notes that lie in a readable PT_LOAD segment are looked at.
bool BuildIdInMemory(uintptr_t bias, const ElfW(Phdr) * headers, size_t count, BuildId* id);

// From a file: notes found by the program headers or, where these have none (separate debug files), by the sections.
// False for what is missing, not a regular file, not ELF, damaged or without build-id.
bool BuildIdOfFile(const char* path, BuildId* id);
bool BuildIdOfFile(int descriptor, BuildId* id);  // the caller's: stays open, its position unchanged

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_BUILD_ID_H_
