// SPDX-License-Identifier: BSD-3-Clause
// Where readers take their bytes from: a file, or memory (tests, fuzzing).
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
  // False when not all n bytes are there; to is undefined then.
  virtual bool ReadAt(uint64_t offset, void* to, size_t n) const = 0;
};

// Null and *error ("PATH: reason") when it cannot be opened or is no regular file.
std::unique_ptr<ByteSource> OpenFile(const std::string& path, std::string* error);
std::unique_ptr<ByteSource> FromMemory(std::string bytes);

// All that comes, whatever kind of file it is: a pipe, one of /proc, which does not say how large it is.
bool ReadStream(const std::string& path, std::string* contents);

// The whole regular file, of at most `limit` bytes.
bool ReadFile(const std::string& path, uint64_t limit, std::string* contents, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_BYTE_SOURCE_H_
