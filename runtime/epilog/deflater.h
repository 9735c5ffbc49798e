// SPDX-License-Identifier: BSD-3-Clause
// Deflates the columns of a block into one stream (RFC 1951). It searches for sequences that repeat only in columns
// that have some: the search takes long.
#ifndef EPIK_RUNTIME_EPILOG_DEFLATER_H_
#define EPIK_RUNTIME_EPILOG_DEFLATER_H_

#include <zlib.h>

#include <cstddef>
#include <cstdint>

#include "runtime/epilog/literal_coder.h"

namespace epik::epilog {

// It is large. Its memory is zeroed or was a Deflater's before; Prepare comes first.
class Deflater {
 public:
  void Prepare();
  // Begins a stream in this memory. `level` as of zlib, and not 0.
  void Begin(int level, uint8_t* to, size_t room);
  // Adds a column; the last one may be empty. False: there is no room.
  bool Put(const uint8_t* bytes, uint32_t count, bool is_last);
  // Bytes of the stream, after the last column.
  size_t size() const { return static_cast<size_t>(end_.at - begin_); }

 private:
  static void* Allocate(void* self, unsigned items, unsigned size);
  static void Free(void*, void*) {}
  bool IsWorthSearch(const uint8_t* bytes, uint32_t count);
  bool IsForCoder(const uint8_t* bytes, uint32_t count);
  bool Search(const uint8_t* bytes, uint32_t count, int flush);

  static constexpr size_t kZlibRoom = 320 << 10;
  z_stream zlib_;
  size_t zlib_used_;
  bool zlib_ready_;
  bool zlib_open_;  // columns that follow each other share zlib's part of the stream
  int level_;
  uint8_t* begin_;
  BitEnd end_;  // while zlib has no part open
  LiteralCoder coder_;
  uint16_t probe_[4096];
  alignas(64) uint8_t zlib_memory_[kZlibRoom];
};

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_DEFLATER_H_
