// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/deflater.h"

#include <cstring>

namespace epik::epilog {
namespace {

constexpr int kFastLevels = 6;          // up to this one, bytes are sought again only where that pays
constexpr uint32_t kFewestCoded = 512;  // codes of their own cost more than they save in smaller columns
constexpr uint64_t kPartOfBit = 256;

uint64_t Load(const uint8_t* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

void* Deflater::Allocate(void* memory, unsigned items, unsigned size) {
  auto* self = static_cast<Deflater*>(memory);
  const size_t bytes = (size_t{items} * size + 63) & ~size_t{63};
  if (bytes > kZlibRoom - self->zlib_used_) return nullptr;
  void* result = self->zlib_memory_ + self->zlib_used_;
  self->zlib_used_ += bytes;
  return result;
}

void Deflater::Prepare() {
  zlib_.zalloc = Allocate;
  zlib_.zfree = Free;
  zlib_.opaque = this;
  zlib_used_ = 0;
  zlib_ready_ = deflateInit2(&zlib_, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

void Deflater::Begin(int level, uint8_t* to, size_t room) {
  level_ = level;
  begin_ = to;
  end_ = {to, to + room};
  zlib_open_ = false;
}

// Whether a search for sequences makes a column much smaller than codes of its bytes alone. A sample decides: its first
// half is remembered, and its second half is parsed as zlib would do it.
bool Deflater::IsWorthSearch(const uint8_t* bytes, uint32_t count) {
  constexpr uint32_t kSample = 8192;
  constexpr uint32_t kShortest = sizeof(uint64_t);
  constexpr uint32_t kLongest = 258;
  constexpr uint64_t kMatchBits = 20;  // of a length and a distance
  const uint32_t sample = count < kSample ? count : kSample;
  const uint8_t* begin = bytes + (count - sample) / 2;
  const uint64_t literal = coder_.bits() * kPartOfBit / count;
  std::memset(probe_, 0xff, sizeof probe_);
  uint64_t bits = 0;
  for (uint32_t at = 0; at + kShortest <= sample;) {
    const uint64_t word = Load(begin + at);
    uint16_t* place = &probe_[word * 0x9e3779b97f4a7c15ull >> 52];
    const uint32_t before = *place;
    *place = static_cast<uint16_t>(at);
    const bool counts = at >= sample / 2;
    if (before == 0xffff || Load(begin + before) != word) {
      bits += counts ? literal : 0;
      ++at;
      continue;
    }
    uint32_t length = kShortest;
    while (length < kLongest && at + length < sample && begin[before + length] == begin[at + length]) ++length;
    const uint64_t as_literals = length * literal;
    const uint64_t as_match = kMatchBits * kPartOfBit;
    bits += !counts ? 0 : as_literals < as_match ? as_literals : as_match;
    at += length;
  }
  return bits < literal * (sample / 2) / 2;
}

// Whether a column is deflated without a search. If so, its bytes are counted.
bool Deflater::IsForCoder(const uint8_t* bytes, uint32_t count) {
  if (level_ > kFastLevels || count < kFewestCoded) return false;
  coder_.Count(bytes, count);
  return !IsWorthSearch(bytes, count);
}

// Adds bytes to zlib's part of the stream. It begins at the end of the stream, and after any flush it ends there.
bool Deflater::Search(const uint8_t* bytes, uint32_t count, int flush) {
  if (!zlib_open_) {
    if (!zlib_ready_ || deflateReset(&zlib_) != Z_OK) return false;
    if (deflateParams(&zlib_, level_, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    if (deflatePrime(&zlib_, static_cast<int>(end_.count), static_cast<int>(end_.bits)) != Z_OK) return false;
    zlib_.next_out = end_.at;
    zlib_.avail_out = static_cast<uInt>(end_.end - end_.at);
  }
  zlib_.next_in = const_cast<uint8_t*>(bytes);
  zlib_.avail_in = count;
  const int state = deflate(&zlib_, flush);
  if (state != (flush == Z_FINISH ? Z_STREAM_END : Z_OK) || zlib_.avail_in != 0) return false;
  zlib_open_ = flush == Z_NO_FLUSH;
  if (zlib_open_) return true;
  end_ = {zlib_.next_out, end_.end};
  return flush == Z_FINISH || zlib_.avail_out != 0;
}

bool Deflater::Put(const uint8_t* bytes, uint32_t count, bool is_last) {
  if (count == 0 && !is_last) return true;
  if (!IsForCoder(bytes, count)) return Search(bytes, count, is_last ? Z_FINISH : Z_NO_FLUSH);
  if (zlib_open_ && !Search(bytes, 0, Z_SYNC_FLUSH)) return false;
  return coder_.Put(is_last, &end_);
}

}  // namespace epik::epilog
