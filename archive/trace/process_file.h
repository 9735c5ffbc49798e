// SPDX-License-Identifier: BSD-3-Clause
// A file of traces/: where its blocks are, by its index or, when it was never finished or is damaged, by looking for
// them. Offline only; any thread may read from one.
#ifndef EPIK_ARCHIVE_TRACE_PROCESS_FILE_H_
#define EPIK_ARCHIVE_TRACE_PROCESS_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/trace/block_decoder.h"
#include "runtime/epilog/format.h"

namespace epik::epilog {

// A part of a file that is not what it should be.
struct Damage {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::string what;
};

class TraceFile {
 public:
  // False, with the reason, when this is no trace file. One without an index, or with a wrong one, is searched for
  // blocks.
  bool Open(const std::string& path, std::string* error);
  // As it is without its index.
  bool OpenAndSearch(const std::string& path, std::string* error);

  const std::string& path() const { return path_; }
  const FileHeader& header() const { return header_; }
  uint64_t bytes() const { return bytes_; }
  bool has_index() const { return has_index_; }
  // In the order of the file; those of one location are in the order of time.
  const std::vector<IndexEntry>& blocks() const { return blocks_; }
  // What was met while searching. What is inside of blocks is found by reading them.
  const std::vector<Damage>& damage() const { return damage_; }

  // What the block of that number says of itself.
  bool ReadHeader(size_t block, BlockHeader* header) const;
  // The block of that number, ready for its first event. No descriptor is kept: there may be many files.
  bool ReadBlock(size_t block, BlockDecoder* decoder, std::string* error) const;

 private:
  class Input;
  bool OpenHeader(const Input& input, std::string* error);
  bool ReadIndex(const Input& input);
  void Search(const Input& input);
  uint64_t FindBlock(const Input& input, uint64_t from, BlockHeader* header) const;

  std::string path_;
  FileHeader header_{};
  uint64_t bytes_ = 0;
  bool has_index_ = false;
  std::vector<IndexEntry> blocks_;
  std::vector<Damage> damage_;
};

// What a file that is complete gets: its rank and an index of its blocks. Blocks stay as they are; those whose words
// are in a later one again, because not all of them was written, are not in the index.
bool FinishTraceFile(const std::string& path, int32_t rank, std::string* error);

// Bytes of a block in the file.
constexpr uint64_t BytesInFile(const BlockHeader& header) {
  return (sizeof header + uint64_t{header.payload_bytes} + kBlockAlign - 1) & ~uint64_t{kBlockAlign - 1};
}

}  // namespace epik::epilog

#endif  // EPIK_ARCHIVE_TRACE_PROCESS_FILE_H_
