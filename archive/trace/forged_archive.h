// SPDX-License-Identifier: BSD-3-Clause
// Archives whose every number comes from bytes of a fuzzer: events, clocks, what numbers stand for. They are well
// formed where readers check the form (names, checksums, blocks), so that forged numbers go deeper.
#ifndef EPIK_ARCHIVE_TRACE_FORGED_ARCHIVE_H_
#define EPIK_ARCHIVE_TRACE_FORGED_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace epik::archive {

// A folder in TMPDIR, until the end of the process.
class ForgedArchive {
 public:
  ForgedArchive();
  ~ForgedArchive();
  ForgedArchive(const ForgedArchive&) = delete;
  ForgedArchive& operator=(const ForgedArchive&) = delete;

  // Another archive in the same place. False: the bytes make none.
  bool Forge(const uint8_t* data, size_t size);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_FORGED_ARCHIVE_H_
