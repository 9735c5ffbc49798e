// SPDX-License-Identifier: BSD-3-Clause
// Deflates bytes (RFC 1951) without a search for sequences: single bytes get Huffman codes, and long runs of one byte
// are matches with the byte before. Calls only memcpy and memset. zlib does the same, but needs several times as many
// instructions.
#ifndef EPIK_RUNTIME_EPILOG_LITERAL_CODER_H_
#define EPIK_RUNTIME_EPILOG_LITERAL_CODER_H_

#include <cstddef>
#include <cstdint>

namespace epik::epilog {

// The end of a deflated stream: whole bytes are in memory, up to seven bits are not.
struct BitEnd {
  uint8_t* at;
  uint8_t* end;  // of the memory
  uint64_t bits = 0;
  unsigned count = 0;
};

// Counts bytes and runs, finds codes for them, and writes them. It is large, and its memory need not be cleared.
class LiteralCoder {
 public:
  // REQUIRES: at least one byte.
  void Count(const uint8_t* bytes, uint32_t count);
  // Bits that their block has.
  uint64_t bits() const { return bits_; }
  // Writes the bytes that were counted, and fills the last byte of the stream. False: there is no room.
  bool Put(bool is_last, BitEnd* to);

 private:
  static constexpr uint32_t kSymbols = 286;
  static constexpr uint32_t kPieces = 4;  // tables that count bytes: one would wait for its own last store

  struct Leaf {
    uint32_t weight;  // later the parent, then the depth
    uint32_t symbol;
  };
  struct Code {
    uint16_t bits;  // the first one is the lowest
    uint16_t length;
  };
  class Bits;
  struct LengthCodes;
  static const LengthCodes length_codes;

  static void FindDepths(Leaf* leaves, int count);
  void FindLengths();
  void FindCodes();
  uint64_t CountBits() const;
  template <class Function>
  void ForEachLength(Function put) const;
  void PutHead(bool is_last, Bits* bits) const;
  void PutBytes(Bits* bits) const;
  bool PutStored(bool is_last, BitEnd* to) const;

  const uint8_t* bytes_;
  uint32_t count_;
  uint64_t bits_;
  uint32_t symbols_;  // that have a length in the block: up to the last one that is used
  uint32_t pieces_[kPieces][256];
  uint32_t weights_[kSymbols];
  Leaf leaves_[kSymbols];
  Code codes_[kSymbols];
  uint8_t lengths_[kSymbols + 1];  // of codes, and behind the last one that of the only distance
};

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_LITERAL_CODER_H_
