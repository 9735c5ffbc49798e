// SPDX-License-Identifier: BSD-3-Clause
// Compressed rows of a .cubex file. Each row is a zlib stream, so that readers can unpack a single row.
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

  // Whether rows of this size, with this total size, are worth a try.
  static bool IsWorthTrying(uint64_t row_bytes, uint64_t bytes);

  // Forgets the rows of the previous metric.
  void Begin(size_t row_bytes);
  // Returns the stream of the next row; empty when there is no memory. Valid until the next call.
  const std::string& Pack(const void* row);
  uint64_t rows() const { return lengths_.size(); }
  // Returns the size of the table of rows; and the table: row, stream, length of each.
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
