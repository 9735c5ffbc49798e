// SPDX-License-Identifier: BSD-3-Clause
// Bytes in memory, for tests and fuzzers of readers.
#ifndef EPIK_ARCHIVE_FILES_FROM_MEMORY_H_
#define EPIK_ARCHIVE_FILES_FROM_MEMORY_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "archive/files/byte_source.h"

namespace epik::archive {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  uint64_t size() const override { return bytes_.size(); }

  bool ReadAt(uint64_t offset, void* to, size_t n) const override {
    if (offset > bytes_.size() || n > bytes_.size() - offset) return false;
    if (n > 0) std::memcpy(to, bytes_.data() + offset, n);
    return true;
  }

 private:
  std::string bytes_;
};

inline std::unique_ptr<ByteSource> FromMemory(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_FROM_MEMORY_H_
