// SPDX-License-Identifier: BSD-3-Clause
// Archives in which every number comes from bytes of a fuzzer: events, clocks, definitions. Where readers check the
// form (names, checksums, blocks) they are well formed, so that readers reach the forged numbers.
#ifndef EPIK_ARCHIVE_TRACE_FORGED_ARCHIVE_H_
#define EPIK_ARCHIVE_TRACE_FORGED_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace epik::archive {

// A folder in TMPDIR, which is removed at the end of the process.
class ForgedArchive {
 public:
  ForgedArchive();
  ~ForgedArchive();
  ForgedArchive(const ForgedArchive&) = delete;
  ForgedArchive& operator=(const ForgedArchive&) = delete;

  // Makes another archive in the same place. Returns false when the bytes make none.
  bool Forge(const uint8_t* data, size_t size);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_FORGED_ARCHIVE_H_
