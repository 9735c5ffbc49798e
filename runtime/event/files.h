// SPDX-License-Identifier: BSD-3-Clause
// The calls of a process on one file, in a definition record of its arena (RecordType::kFile). All threads add to it.
#ifndef EPIK_RUNTIME_EVENT_FILES_H_
#define EPIK_RUNTIME_EVENT_FILES_H_

#include <cstdint>

namespace epik::event {

enum class FileCall : uint32_t { kRead = 0, kWrite, kSync, kOpenClose };
inline constexpr uint32_t kFileCalls = 4;

struct FileUse {
  uint64_t calls[kFileCalls];
  uint64_t ns[kFileCalls];
  uint64_t bytes_read, bytes_written;
};

// The number of files that have a record of their own. All others share one.
inline constexpr uint32_t kMostFiles = 1000;
inline constexpr char kOtherFiles[] = "other files";

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_FILES_H_
