// SPDX-License-Identifier: BSD-3-Clause
// The arena of a process, mapped for reading: the process does not notice.
#ifndef EPIK_TOOLS_TOP_ARENA_FILE_H_
#define EPIK_TOOLS_TOP_ARENA_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "tools/top/sampler.h"

namespace epik::top {

class ArenaFile {
 public:
  static std::unique_ptr<ArenaFile> Open(const std::string& path, std::string* error);
  ~ArenaFile();
  ArenaFile(const ArenaFile&) = delete;
  ArenaFile& operator=(const ArenaFile&) = delete;

  // The content now. The time is this machine's when the process runs here, else that of the last event.
  bool Read(Reading* reading, std::string* error) const;

  // The arena itself, which the process goes on writing.
  const char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

  // As the process says itself, without reading all of it.
  event::ProcessState State() const;

 private:
  ArenaFile(const char* bytes, size_t size) : bytes_(bytes), size_(size) {}

  const char* bytes_;
  size_t size_;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_ARENA_FILE_H_
