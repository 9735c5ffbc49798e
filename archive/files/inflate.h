// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_ARCHIVE_FILES_INFLATE_H_
#define EPIK_ARCHIVE_FILES_INFLATE_H_

#include <cstdint>
#include <string>

namespace epik::archive {

// The one zlib or gzip stream of `in`, whose content must not be longer than `limit`. False when damaged, longer, or
// out of memory. Bytes after the stream are ignored.
bool Inflate(const std::string& in, bool gzip, uint64_t limit, std::string* out);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_INFLATE_H_
