// SPDX-License-Identifier: BSD-3-Clause
// Readers take their bytes from a ByteSource: a file, or memory in tests and fuzzers (from_memory.h). They read at
// offsets and never hold a whole file, because a .cubex file may be larger than the memory.
#ifndef EPIK_ARCHIVE_FILES_BYTE_SOURCE_H_
#define EPIK_ARCHIVE_FILES_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace epik::archive {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  // Copies n bytes. Returns false when the source has fewer; `to` is undefined then.
  virtual bool ReadAt(uint64_t offset, void* to, size_t n) const = 0;
};

// Returns null, with *error as "PATH: reason", when the file cannot be opened or is not a regular file.
std::unique_ptr<ByteSource> OpenFile(const std::string& path, std::string* error);

// Reads to the end of any kind of file. Pipes and files of /proc do not tell their size.
bool ReadStream(const std::string& path, std::string* contents);

// Reads a whole regular file. Returns false when it has more than `limit` bytes.
bool ReadFile(const std::string& path, uint64_t limit, std::string* contents, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_BYTE_SOURCE_H_
