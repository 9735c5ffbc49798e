// SPDX-License-Identifier: BSD-3-Clause
// A file that gets its name only when it is complete: it is written under a temporary name, then renamed.
#ifndef EPIK_ARCHIVE_FILES_ATOMIC_FILE_H_
#define EPIK_ARCHIVE_FILES_ATOMIC_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epik::archive {

class AtomicFile {
 public:
  AtomicFile() = default;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // removes what was written, unless Commit succeeded

  bool Open(const std::string& path, std::string* error);
  bool Write(const void* data, size_t n, std::string* error);
  uint64_t written() const { return written_; }
  // Replaces bytes that were written before.
  bool Rewrite(uint64_t at, const void* data, size_t n, std::string* error);
  // Gives the file its name and replaces a file that had it. With `sync` the file survives a crash of the machine.
  bool Commit(bool sync, std::string* error);

  const std::string& path() const { return path_; }

 private:
  bool Flush(std::string* error);
  bool Fail(const char* what, std::string* error);
  void Discard();

  int fd_ = -1;
  std::string path_;
  std::string temporary_;
  std::vector<char> buffer_;
  uint64_t written_ = 0;
};

// Does all of the above for contents in memory.
bool WriteFileAtomically(const std::string& path, std::string_view contents, std::string* error, bool sync = false);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_ATOMIC_FILE_H_
