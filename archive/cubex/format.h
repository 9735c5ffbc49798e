// SPDX-License-Identifier: BSD-3-Clause
// The fixed parts of N.index and N.data (docs/formats.md, "summary.cubex").
#ifndef EPIK_ARCHIVE_CUBEX_FORMAT_H_
#define EPIK_ARCHIVE_CUBEX_FORMAT_H_

#include <cstdint>
#include <string_view>

namespace epik::archive {

inline constexpr std::string_view kAnchorName = "anchor.xml";

// Index: magic, u32 1 in the byte order of index and data, u16 version 0, u8 kind; sparse: u32 rows, u32 position each.
inline constexpr std::string_view kIndexMagic = "CUBEX.INDEX";
inline constexpr uint64_t kIndexHeaderBytes = 18;
inline constexpr uint8_t kSparseIndex = 1;
inline constexpr uint8_t kDenseIndex = 3;

// Data: magic, then rows without gaps.
inline constexpr std::string_view kDataMagic = "CUBEX.DATA";
// Compressed data: magic, u64 n, n × {u64 row offset in the plain rows, u64 stream offset, u64 stream length}, streams.
inline constexpr std::string_view kZipDataMagic = "ZCUBEX.DATA";

// As in files of Score-P, the longest visit of a call path without visits is 0, not the least number.
inline constexpr std::string_view kLongestVisit = "max_time";

// Readers number values with 32 bits: a row that begins beyond this limit reads as zero.
inline constexpr uint64_t kLargestRowStart = 0xffffffff;

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_FORMAT_H_
