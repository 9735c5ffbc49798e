// SPDX-License-Identifier: BSD-3-Clause
// The GNU build-id of a module. It proves that the file which resolves an address is the file that was running. Needs
// no libelf, allocation or lock, so both ways of reading are safe in a signal handler. Only 64-bit modules of this
// machine's byte order are read.
#ifndef EPIK_ARCHIVE_SYMBOLS_BUILD_ID_H_
#define EPIK_ARCHIVE_SYMBOLS_BUILD_ID_H_

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace epik::symbols {

// Linkers write 8 (lld's fast), 16 (md5, uuid) or 20 bytes (sha1). --build-id=0x… may have any length, and a longer one
// than this counts as absent.
struct BuildId {
  static constexpr size_t kMaxBytes = 64;
  uint8_t size = 0;
  uint8_t bytes[kMaxBytes] = {};

  bool empty() const { return size == 0; }
  std::string Hex() const;  // allocates: not for signal handlers
};

// Searches the notes in [data, data + size). `align` is the alignment of the segment or section: 8, anything else means
// 4. False when the notes have no build-id. Nothing outside the range is read.
bool FindBuildId(const void* data, size_t size, size_t align, BuildId* id);

// Reads the build-id of a file, by its program headers or, in separate debug files, by its sections. Returns false when
// the file is missing, is not a regular file, is not ELF, is damaged, or has no build-id.
bool BuildIdOfFile(const char* path, BuildId* id);
bool BuildIdOfFile(int descriptor, BuildId* id);  // the caller's descriptor stays open at its position

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_BUILD_ID_H_
