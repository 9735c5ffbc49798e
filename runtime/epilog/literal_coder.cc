// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/literal_coder.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/compiler.h"

namespace epik::epilog {
namespace {

// Symbols of RFC 1951: bytes, the end of the block, lengths of matches.
constexpr uint32_t kEndOfBlock = 256;
constexpr uint32_t kFirstLength = 257;
constexpr uint32_t kAllSymbols = 286;
constexpr unsigned kLongestCode = 15;
constexpr uint32_t kShortestMatch = 3, kLongestMatch = 258;
constexpr uint32_t kShortestRun = 8;  // beyond the first byte

// The codes of lengths are written in a code of their own: lengths up to 13 in four bits, the others and two kinds of
// runs of zeros in five.
constexpr uint32_t kShortZeros = 17, kLongZeros = 18;
constexpr uint32_t kLengthSymbols = 19;
constexpr unsigned kDistanceBits = 1;  // there is one distance
constexpr unsigned kHeadBits = 3 + 5 + 5 + 4 + 3 * kLengthSymbols;
constexpr uint8_t kOrder[kLengthSymbols] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
constexpr unsigned LengthOfLength(uint32_t symbol) { return symbol < 14 ? 4 : symbol == 16 ? 0 : 5; }

constexpr uint32_t Reversed(uint32_t code, unsigned length) {
  uint32_t result = 0;
  for (; length != 0; --length, code >>= 1) result = result << 1 | (code & 1);
  return result;
}

// The symbol of each length of a match, and the bits that follow it.
struct Match {
  uint16_t symbol;
  uint8_t extra_bits;
  uint8_t extra;
};
struct Matches {
  Match of[kLongestMatch + 1]{};
  uint8_t extra_bits[kAllSymbols - kFirstLength]{};  // by symbol
  constexpr Matches() {
    uint32_t length = kShortestMatch;
    uint32_t symbol = kFirstLength;
    for (uint8_t bits = 0; length < kLongestMatch; bits = static_cast<uint8_t>(bits + 1)) {
      for (uint32_t i = 0; i < (bits == 0 ? 8u : 4u) && length < kLongestMatch; ++i, ++symbol) {
        extra_bits[symbol - kFirstLength] = bits;
        for (uint32_t extra = 0; extra < 1u << bits && length < kLongestMatch; ++extra, ++length) {
          of[length] = {static_cast<uint16_t>(symbol), bits, static_cast<uint8_t>(extra)};
        }
      }
    }
    of[kLongestMatch] = {kAllSymbols - 1, 0, 0};
  }
};
constexpr Matches kMatches;

constexpr uint64_t kSpare = 16;  // whole words are written, and the last bits fill a byte

uint64_t Load(const uint8_t* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Calls `literals(from, count)` and `match(length)` for all bytes in their order. A run is found where eight bytes are
// each like the one before.
template <class Literals, class Match>
EPIK_HOT void ForEachPiece(const uint8_t* from, const uint8_t* end, Literals literals, Match match) {
  literals(from, 1);
  ++from;
  while (end - from >= 8) {
    const uint64_t changes = Load(from) ^ Load(from - 1);
    if (EPIK_LIKELY(changes != 0)) {
      // No run of this length begins before the last change.
      const auto known = static_cast<uint32_t>(8 - (__builtin_clzll(changes) >> 3));
      literals(from, known);
      from += known;
      continue;
    }
    const uint8_t* after = from + kShortestRun;
    while (end - after >= 8 && Load(after) == Load(after - 1)) after += 8;
    while (after < end && *after == after[-1]) ++after;
    auto rest = static_cast<uint32_t>(after - from);
    for (; rest >= kShortestMatch; rest -= std::min(rest, kLongestMatch)) match(std::min(rest, kLongestMatch));
    literals(after - rest, rest);
    from = after;
  }
  literals(from, static_cast<uint32_t>(end - from));
}

}  // namespace

struct LiteralCoder::LengthCodes {
  Code codes[kLengthSymbols]{};
  constexpr LengthCodes() {
    for (uint32_t symbol = 0; symbol < 14; ++symbol) codes[symbol] = {static_cast<uint16_t>(Reversed(symbol, 4)), 4};
    constexpr uint32_t kFiveBits[] = {14, 15, kShortZeros, kLongZeros};
    uint32_t next = 28;
    for (const uint32_t symbol : kFiveBits) codes[symbol] = {static_cast<uint16_t>(Reversed(next++, 5)), 5};
  }
};
constexpr LiteralCoder::LengthCodes LiteralCoder::length_codes;

// Bits that wait for being written; after Flush, up to 57 more have room.
class LiteralCoder::Bits {
 public:
  explicit Bits(const BitEnd& end) : at_(end.at), bits_(end.bits), count_(end.count) {}
  EPIK_HOT void Put(uint64_t bits, unsigned count) {
    bits_ |= bits << count_;
    count_ += count;
  }
  EPIK_HOT void Put(Code code) { Put(code.bits, code.length); }
  EPIK_HOT void Flush() {
    std::memcpy(at_, &bits_, sizeof bits_);
    at_ += count_ >> 3;
    bits_ >>= count_ & 56;
    count_ &= 7;
  }
  void FillByte() {
    count_ = (count_ + 7) & ~7u;
    Flush();
  }
  void Give(BitEnd* end) const {
    end->at = at_;
    end->bits = bits_;
    end->count = count_;
  }

 private:
  uint8_t* at_;
  uint64_t bits_;
  unsigned count_;
};

// Lengths of an optimal code of weights in ascending order. Writes them over the weights (Moffat and Katajainen).
void LiteralCoder::FindDepths(Leaf* leaves, int count) {
  if (count == 1) leaves[0].weight = 1;
  if (count < 2) return;
  leaves[0].weight += leaves[1].weight;
  int root = 0, leaf = 2;
  for (int next = 1; next < count - 1; ++next) {
    uint32_t sum = 0;
    for (int taken = 0; taken < 2; ++taken) {
      if (leaf >= count || (root < next && leaves[root].weight < leaves[leaf].weight)) {
        sum += leaves[root].weight;
        leaves[root++].weight = static_cast<uint32_t>(next);
      } else {
        sum += leaves[leaf++].weight;
      }
    }
    leaves[next].weight = sum;
  }
  leaves[count - 2].weight = 0;
  for (int next = count - 3; next >= 0; --next) leaves[next].weight = leaves[leaves[next].weight].weight + 1;
  int available = 1, used = 0, at = count - 1;
  root = count - 2;
  for (uint32_t depth = 0; available > 0; ++depth) {
    for (; root >= 0 && leaves[root].weight == depth; --root) ++used;
    for (; available > used; --available) leaves[at--].weight = depth;
    available = 2 * used;
    used = 0;
  }
}

void LiteralCoder::Count(const uint8_t* bytes, uint32_t count) {
  bytes_ = bytes;
  count_ = count;
  std::memset(pieces_, 0, sizeof pieces_);
  std::memset(weights_, 0, sizeof weights_);
  ForEachPiece(
      bytes, bytes + count,
      [this](const uint8_t* from, uint32_t n) {
        if (EPIK_LIKELY(n == 8)) {
          for (uint32_t i = 0; i < 8; ++i) ++pieces_[i % kPieces][from[i]];
          return;
        }
        for (uint32_t i = 0; i < n; ++i) ++pieces_[i % kPieces][from[i]];
      },
      [this](uint32_t length) { ++weights_[kMatches.of[length].symbol]; });
  for (uint32_t byte = 0; byte < 256; ++byte) {
    for (const auto& piece : pieces_) weights_[byte] += piece[byte];
  }
  weights_[kEndOfBlock] = 1;
  FindLengths();
  FindCodes();
  bits_ = CountBits();
}

void LiteralCoder::FindLengths() {
  uint32_t used = 0;
  for (uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
    if (weights_[symbol] != 0) leaves_[used++] = {weights_[symbol], symbol};
  }
  std::sort(leaves_, leaves_ + used, [](const Leaf& a, const Leaf& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.symbol < b.symbol;
  });
  FindDepths(leaves_, static_cast<int>(used));
  // Codes that would be too long become shorter, and others longer, until all have room.
  uint32_t with[kLongestCode + 1] = {};
  for (uint32_t i = 0; i < used; ++i) ++with[std::min<uint32_t>(leaves_[i].weight, kLongestCode)];
  uint64_t room = 0;
  for (unsigned length = 1; length <= kLongestCode; ++length) room += uint64_t{with[length]} << (kLongestCode - length);
  for (; room > 1u << kLongestCode; --room) {
    unsigned length = kLongestCode - 1;
    while (with[length] == 0) --length;
    --with[length];
    with[length + 1] += 2;
    --with[kLongestCode];
  }
  std::memset(lengths_, 0, sizeof lengths_);
  uint32_t leaf = 0;  // the rarest have the longest codes
  for (unsigned length = kLongestCode; length != 0; --length) {
    for (uint32_t i = 0; i < with[length]; ++i) lengths_[leaves_[leaf++].symbol] = static_cast<uint8_t>(length);
  }
}

void LiteralCoder::FindCodes() {
  uint32_t with[kLongestCode + 1] = {};
  for (uint32_t symbol = 0; symbol < kSymbols; ++symbol) ++with[lengths_[symbol]];
  uint32_t next[kLongestCode + 1] = {};
  for (unsigned length = 2; length <= kLongestCode; ++length) {
    next[length] = (next[length - 1] + with[length - 1]) << 1;
  }
  symbols_ = kFirstLength;
  for (uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
    const unsigned length = lengths_[symbol];
    if (length == 0) continue;
    codes_[symbol] = {static_cast<uint16_t>(Reversed(next[length]++, length)), static_cast<uint16_t>(length)};
    if (symbol >= symbols_) symbols_ = symbol + 1;
  }
  lengths_[symbols_] = 1;
}

// Calls `put(symbol, extra, extra_bits)` for the lengths of all codes, and then of the distance.
template <class Function>
void LiteralCoder::ForEachLength(Function put) const {
  for (uint32_t at = 0; at <= symbols_;) {
    uint32_t zeros = 0;
    while (at + zeros <= symbols_ && lengths_[at + zeros] == 0 && zeros < 138) ++zeros;
    if (zeros >= 11) {
      put(kLongZeros, zeros - 11, 7);
    } else if (zeros >= 3) {
      put(kShortZeros, zeros - 3, 3);
    } else {
      put(lengths_[at], 0, 0);
      zeros = 1;
    }
    at += zeros;
  }
}

uint64_t LiteralCoder::CountBits() const {
  uint64_t bits = kHeadBits;
  ForEachLength(
      [&bits](uint32_t symbol, uint32_t, unsigned extra_bits) { bits += LengthOfLength(symbol) + extra_bits; });
  for (uint32_t symbol = 0; symbol < kFirstLength; ++symbol) bits += uint64_t{weights_[symbol]} * lengths_[symbol];
  for (uint32_t symbol = kFirstLength; symbol < kSymbols; ++symbol) {
    bits +=
        uint64_t{weights_[symbol]} * (lengths_[symbol] + kMatches.extra_bits[symbol - kFirstLength] + kDistanceBits);
  }
  return bits;
}

void LiteralCoder::PutHead(bool is_last, Bits* bits) const {
  bits->Put(is_last ? 1 : 0, 1);
  bits->Put(2, 2);  // codes of its own
  bits->Put(symbols_ - kFirstLength, 5);
  bits->Put(0, 5);  // one distance
  bits->Put(kLengthSymbols - 4, 4);
  for (const uint8_t symbol : kOrder) {
    bits->Flush();
    bits->Put(LengthOfLength(symbol), 3);
  }
  ForEachLength([bits](uint32_t symbol, uint32_t extra, unsigned extra_bits) {
    bits->Flush();
    bits->Put(length_codes.codes[symbol]);
    bits->Put(extra, extra_bits);
  });
  bits->Flush();
}

void LiteralCoder::PutBytes(Bits* bits) const {
  const Code* codes = codes_;
  ForEachPiece(
      bytes_, bytes_ + count_,
      [bits, codes](const uint8_t* from, uint32_t n) {
        for (; n >= 3; n -= 3, from += 3) {
          for (uint32_t i = 0; i < 3; ++i) bits->Put(codes[from[i]]);
          bits->Flush();
        }
        for (uint32_t i = 0; i < n; ++i) bits->Put(codes[from[i]]);
        bits->Flush();
      },
      [bits, codes](uint32_t length) {
        const Match& match = kMatches.of[length];
        bits->Put(codes[match.symbol]);
        bits->Put(match.extra, match.extra_bits);
        bits->Put(0, kDistanceBits);
        bits->Flush();
      });
  bits->Put(codes[kEndOfBlock]);
  bits->Flush();
}

// Writes the bytes as they are.
bool LiteralCoder::PutStored(bool is_last, BitEnd* to) const {
  constexpr uint32_t kMost = 0xffff;
  const uint32_t blocks = (count_ + kMost - 1) / kMost;
  if (static_cast<uint64_t>(to->end - to->at) < count_ + kSpare * blocks) return false;
  const uint8_t* from = bytes_;
  for (uint32_t rest = count_; rest != 0;) {
    const uint32_t size = std::min(rest, kMost);
    rest -= size;
    Bits bits(*to);
    bits.Put(is_last && rest == 0 ? 1 : 0, 3);
    bits.FillByte();
    bits.Put(size | ~size << 16, 32);
    bits.Flush();
    bits.Give(to);
    std::memcpy(to->at, from, size);
    to->at += size;
    from += size;
  }
  return true;
}

bool LiteralCoder::Put(bool is_last, BitEnd* to) {
  const uint64_t bytes = (to->count + bits_) / 8;
  if (bytes >= count_) return PutStored(is_last, to);
  if (static_cast<uint64_t>(to->end - to->at) < bytes + kSpare) return false;
  Bits bits(*to);
  PutHead(is_last, &bits);
  PutBytes(&bits);
  if (is_last) bits.FillByte();
  bits.Give(to);
  return true;
}

}  // namespace epik::epilog
