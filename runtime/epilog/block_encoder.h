// SPDX-License-Identifier: BSD-3-Clause
// Turns the words of a location's trace (runtime/event/trace.h) into blocks of a trace file, in the middle of a
// program. All memory comes from the caller; the encoder calls only memcpy, memset and a zlib that allocates from the
// same memory. Two threads need two encoders.
#ifndef EPIK_RUNTIME_EPILOG_BLOCK_ENCODER_H_
#define EPIK_RUNTIME_EPILOG_BLOCK_ENCODER_H_

#include <cstddef>
#include <cstdint>

#include "runtime/epilog/format.h"

namespace epik::epilog {

// Nodes of the frames that are open in the trace, outermost first. The caller owns the memory.
struct OpenStack {
  uint32_t* nodes;
  uint32_t depth;
  uint32_t room;  // frames beyond are counted, without their nodes
  // Makes room for at least this many and keeps the contents; may fail. Null: the room never grows.
  bool (*grow)(OpenStack* stack, uint32_t depth);
};

// State that goes from block to block of one location. The encoder updates it when a block is finished.
struct Stream {
  uint32_t location;  // number within the process
  uint64_t words;     // so far
  uint64_t time;      // of the latest event; words carry the lower bits of theirs. 0 at first: then a kTime word comes
                      // before any other whose upper bits are not 0
  OpenStack open;
};

struct EncodedBlock {
  const void* bytes;  // in the scratch memory: until the next Begin
  size_t size;        // a multiple of kBlockAlign
  uint32_t events;
  uint32_t payload_bytes;
};

class BlockEncoder {
 public:
  static size_t ScratchBytes();
  // `scratch`: page-aligned memory, zeroed or used by an encoder before. The encoder touches only as much of it as its
  // blocks need.
  explicit BlockEncoder(void* scratch);

  void Begin(Stream* stream);
  // Takes words and returns their number: less than `count` when the block is full. Takes whole records only. Words
  // that are no event (zeros, kinds that do not exist, a record cut off by the end) are taken and left out.
  uint32_t Take(const uint64_t* words, uint32_t count);
  // Whether there is anything to write.
  bool Empty() const { return events_ == 0; }
  // `level` as of zlib, 0 is stored.
  EncodedBlock Finish(int level);

 private:
  struct Memory;

  uint32_t Room() const;
  uint32_t TakeSome(const uint64_t* words, uint32_t room, uint32_t count);
  void PutStep(uint64_t time);
  EPIK_COLD void ChangeUnit(uint64_t step);
  void SetUnit(uint64_t unit);
  uint32_t FindChild(uint32_t parent, uint32_t node);
  void Miss(uint32_t* prediction, uint32_t outcome, uint32_t token);
  void PutRecord(uint32_t kind, const uint64_t* fields);
  void PutFields(uint32_t kind, const uint64_t* fields);
  void MoveStream();
  size_t Compress(int level, uint8_t* to, size_t room);
  uint32_t ColumnBytes(unsigned column) const;

  Memory* memory_;
  Stream* stream_ = nullptr;
  uint32_t events_ = 0;
  uint32_t words_ = 0;
  uint32_t current_ = 0;
  uint32_t* prediction_ = nullptr;
  uint32_t hits_ = 0;
  uint32_t depth_ = 0;  // frames open now
  uint32_t new_node_ = 0;
  uint64_t high_ = 0;  // upper bits of the time
  uint64_t time_ = 0;
  uint64_t first_time_ = 0;
  // Division by the unit: odd part's inverse, and its power of two.
  uint64_t unit_ = 0;
  uint64_t inverse_ = 0;
  uint64_t most_ = 0;
  unsigned shift_ = 0;
  uint32_t open_ = 0;
  uint32_t begin_depth_ = 0;
  uint8_t* column_[kColumns] = {};
};

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_BLOCK_ENCODER_H_
