// SPDX-License-Identifier: BSD-3-Clause
// The arena of a process, mapped for reading. The process does not notice.
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

  // Reads the present content. Its time is now if the process runs on this machine; else the time of the last event.
  // *reading: empty, or an earlier reading of this file, whose definitions are not read again.
  bool Read(Reading* reading, std::string* error) const;

  // The arena itself, which the process goes on writing.
  const char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

  // The state that the process has noted. Reads only the header.
  event::ProcessState State() const;

 private:
  ArenaFile(const char* bytes, size_t size) : bytes_(bytes), size_(size) {}

  const char* bytes_;
  size_t size_;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_ARENA_FILE_H_
