// SPDX-License-Identifier: BSD-3-Clause
// The trace file of one process (traces/RRR/RANK.elg): finds its blocks by its index or, when the file was never
// finished or is damaged, by searching for them. Several threads may read one ProcessFile at the same time.
#ifndef EPIK_ARCHIVE_TRACE_PROCESS_FILE_H_
#define EPIK_ARCHIVE_TRACE_PROCESS_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/trace/block_decoder.h"
#include "runtime/epilog/format.h"

namespace epik::archive {

// A damaged part of a file.
struct Damage {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::string what;
};

class ProcessFile {
 public:
  // Returns false, with the reason, when this is not a trace file. It searches for blocks when the index is missing or
  // wrong.
  bool Open(const std::string& path, std::string* error);
  // Opens the file without its index.
  bool OpenAndSearch(const std::string& path, std::string* error);

  const std::string& path() const { return path_; }
  const epilog::FileHeader& header() const { return header_; }
  uint64_t bytes() const { return bytes_; }
  bool has_index() const { return has_index_; }
  // Blocks in the order of the file. Those of one location are in order of time.
  const std::vector<epilog::IndexEntry>& blocks() const { return blocks_; }
  // The damage that the search found. Damage inside of blocks is found when they are read.
  const std::vector<Damage>& damage() const { return damage_; }

  // Reads the header of a block.
  bool ReadHeader(size_t block, epilog::BlockHeader* header) const;
  // Reads a block; the decoder is ready for its first event. The file is opened each time, because a job has more files
  // than a process may have descriptors.
  bool ReadBlock(size_t block, BlockDecoder* decoder, std::string* error) const;

 private:
  class Input;
  bool OpenHeader(const Input& input, std::string* error);
  bool ReadIndex(const Input& input);
  void Search(const Input& input);
  uint64_t FindBlock(const Input& input, uint64_t from, epilog::BlockHeader* header) const;

  std::string path_;
  epilog::FileHeader header_{};
  uint64_t bytes_ = 0;
  bool has_index_ = false;
  std::vector<epilog::IndexEntry> blocks_;
  std::vector<Damage> damage_;
};

// Completes a file: writes its rank into the header and appends an index. If a block was written in part and then
// again, the index leaves out the first one; no block is changed.
bool FinishProcessFile(const std::string& path, int32_t rank, std::string* error);

// The bytes of a block in the file.
constexpr uint64_t BytesInFile(const epilog::BlockHeader& header) {
  return (sizeof header + uint64_t{header.payload_bytes} + epilog::kBlockAlign - 1) &
         ~uint64_t{epilog::kBlockAlign - 1};
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROCESS_FILE_H_
