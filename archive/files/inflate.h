// SPDX-License-Identifier: BSD-3-Clause
// Decompression of the members of .cubex files, in memory.
#ifndef EPIK_ARCHIVE_FILES_INFLATE_H_
#define EPIK_ARCHIVE_FILES_INFLATE_H_

#include <cstdint>
#include <string>

namespace epik::archive {

// Decompresses the zlib or gzip stream that `in` begins with and ignores bytes after it. Returns false when the stream
// is damaged, when its content has more than `limit` bytes (a few bytes can expand to gigabytes), or when memory runs
// out.
bool Inflate(const std::string& in, bool gzip, uint64_t limit, std::string* out);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_INFLATE_H_
