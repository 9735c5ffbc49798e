// SPDX-License-Identifier: BSD-3-Clause
// Compressed rows of a .cubex file: a zlib stream for each row, so that readers can unpack one row alone.
#ifndef EPIK_ARCHIVE_CUBEX_ROW_PACKER_H_
#define EPIK_ARCHIVE_CUBEX_ROW_PACKER_H_

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace epik::archive {

class RowPacker {
 public:
  RowPacker() = default;
  RowPacker(const RowPacker&) = delete;
  RowPacker& operator=(const RowPacker&) = delete;
  ~RowPacker();

  // Whether rows of this many bytes, of this many in all, are worth a try.
  static bool IsWorthTrying(uint64_t row_bytes, uint64_t bytes);

  // Forgets the rows of the metric before.
  void Begin(size_t row_bytes);
  // The stream of the next row; empty: no memory. Valid until the next call.
  const std::string& Pack(const void* row);
  uint64_t rows() const { return lengths_.size(); }
  // The place that the table of the rows takes, and the table: row, stream, length of each.
  static uint64_t TableBytes(uint64_t rows) { return rows * 24; }
  std::string Table() const;

 private:
  z_stream stream_{};
  bool is_open_ = false;
  size_t row_bytes_ = 0;
  std::vector<uint32_t> lengths_;
  std::string packed_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_ROW_PACKER_H_
