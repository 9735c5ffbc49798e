// SPDX-License-Identifier: BSD-3-Clause
// Decodes the events of a trace block; runtime/epilog/block_encoder.h is the other half. A block may be damaged or
// forged: everything is checked, and error() names the problem. Decoders do not run in the program.
#ifndef EPIK_ARCHIVE_TRACE_BLOCK_DECODER_H_
#define EPIK_ARCHIVE_TRACE_BLOCK_DECODER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archive/trace/event.h"
#include "runtime/epilog/format.h"
#include "runtime/epilog/record_prediction.h"

namespace epik::archive {

// The largest total size of the columns of a block.
inline constexpr uint32_t kMostColumnBytes = 1u << 24;

// Checks whether these bytes, which are at least a header, begin a block. Returns null, or the problem.
const char* CheckBlockHeader(const void* bytes, epilog::BlockHeader* header);

class BlockDecoder {
 public:
  // Begins a block: a checked header and its payload_bytes bytes. A decoder may open one block after the other.
  bool Open(const epilog::BlockHeader& header, const void* payload, std::string* error);

  // Gives the next event; returns false at the end of the block and at damage.
  bool Next(Event* event);
  // The reason why Next returned false; empty at the end of the block.
  const std::string& error() const { return error_; }

  const epilog::BlockHeader& header() const { return header_; }
  // Nodes of the open frames, outermost first, if this block has them: the frames at its begin (at most kMostOpen, the
  // innermost ones) and those that it has entered.
  std::vector<uint32_t> OpenNodes() const;
  // The number of open frames.
  uint32_t depth() const { return depth_; }

 private:
  struct Range {
    const uint8_t* at = nullptr;
    const uint8_t* end = nullptr;
  };

  bool Unpack(const void* payload, std::string* error);
  bool Fail(const char* what);
  uint32_t AddChild(uint32_t parent, uint32_t node, uint32_t cell);
  bool GetNode(uint32_t* node);
  bool FindChild(uint32_t number, uint32_t* slot);
  bool GetOutcome(uint32_t* outcome);
  bool GetStep();
  bool GetRecord(Event* event);
  bool GetFields(Event* event);
  bool GetBits(uint64_t* value);
  static bool GetNumber(Range* column, uint64_t* value);

  epilog::BlockHeader header_{};
  std::string error_;
  std::vector<uint8_t> raw_;
  std::unique_ptr<epilog::RecordPrediction> records_;  // exists if a block predicts
  Range column_[epilog::kColumns];
  std::vector<epilog::Slot> slots_;
  std::vector<uint32_t> table_;
  uint32_t current_ = 0;
  uint32_t* prediction_ = nullptr;
  uint64_t hits_ = 0;
  uint32_t done_ = 0;
  uint32_t depth_ = 0;
  uint32_t new_node_ = 0;
  uint64_t time_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_BLOCK_DECODER_H_
