// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/row_packer.h"

namespace epik::archive {
namespace {

// Each row costs 24 bytes in the table and 11 in its stream, so short rows do not become smaller, and small files may
// stay as they are. The program waits for this at its end.
constexpr uint64_t kShortestRow = 256, kLeastBytes = uint64_t{1} << 20;
constexpr int kFastest = 1;

}  // namespace

RowPacker::~RowPacker() {
  if (is_open_) deflateEnd(&stream_);
}

bool RowPacker::IsWorthTrying(uint64_t row_bytes, uint64_t bytes) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 31;  // so that a member stays below the limit of growing ones
  return row_bytes >= kShortestRow && bytes >= kLeastBytes && bytes <= kMostBytes;
}

void RowPacker::Begin(size_t row_bytes) {
  row_bytes_ = row_bytes;
  lengths_.clear();
}

const std::string& RowPacker::Pack(const void* row) {
  packed_.clear();
  const int opened = is_open_ ? deflateReset(&stream_) : deflateInit(&stream_, kFastest);
  if (opened != Z_OK) return packed_;
  is_open_ = true;
  packed_.resize(deflateBound(&stream_, row_bytes_));
  stream_.next_in = static_cast<Bytef*>(const_cast<void*>(row));
  stream_.avail_in = static_cast<uInt>(row_bytes_);
  stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_out = static_cast<uInt>(packed_.size());
  const bool done = deflate(&stream_, Z_FINISH) == Z_STREAM_END;
  packed_.resize(done ? packed_.size() - stream_.avail_out : 0);
  if (done) lengths_.push_back(static_cast<uint32_t>(packed_.size()));
  return packed_;
}

std::string RowPacker::Table() const {
  std::string table;
  table.reserve(TableBytes(lengths_.size()));
  uint64_t row = 0, at = 0;
  for (const uint64_t length : lengths_) {
    for (const uint64_t number : {row, at, length}) table.append(reinterpret_cast<const char*>(&number), sizeof number);
    row += row_bytes_;
    at += length;
  }
  return table;
}

}  // namespace epik::archive
