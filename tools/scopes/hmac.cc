// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/hmac.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace epik::scopes {

namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr uint32_t kRoots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t BigEndian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

void Sha256::Block(const uint8_t* bytes) {
  uint32_t words[64];
  for (int i = 0; i < 16; ++i) words[i] = BigEndian(bytes + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const uint32_t a = words[i - 15], b = words[i - 2];
    const uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoots[i] + words[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[static_cast<size_t>(i)] += added[i];
}

void Sha256::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t at = bytes_ % 64, count = std::min(bytes.size(), 64 - at);
    std::memcpy(block_.data() + at, bytes.data(), count);
    bytes_ += count;
    bytes.remove_prefix(count);
    if (bytes_ % 64 == 0) Block(block_.data());
  }
}

Digest Sha256::Finish() {
  // The length is that of the message. Add counts the padding, too.
  const uint64_t bits = bytes_ * 8;
  Add(std::string_view("\x80", 1));
  // The length takes the last 8 bytes of a block.
  while (bytes_ % 64 != 56) Add(std::string_view("\0", 1));
  char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(bits >> (56 - 8 * i));
  Add(std::string_view(length, 8));
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest Hmac(std::string_view key, std::initializer_list<std::string_view> pieces) {
  // The key may become a view of this. RFC 2104 hashes keys that are longer than a block.
  Digest hashed;
  if (key.size() > 64) {
    Sha256 shorter;
    shorter.Add(key);
    hashed = shorter.Finish();
    key = BytesOf(hashed);
  }
  char inner_pad[64], outer_pad[64];
  for (size_t i = 0; i < 64; ++i) {
    const auto byte = static_cast<uint8_t>(i < key.size() ? key[i] : 0);
    inner_pad[i] = static_cast<char>(byte ^ 0x36);
    outer_pad[i] = static_cast<char>(byte ^ 0x5c);
  }
  Sha256 inner, outer;
  inner.Add({inner_pad, 64});
  for (const std::string_view piece : pieces) inner.Add(piece);
  const Digest of_inner = inner.Finish();
  outer.Add({outer_pad, 64});
  outer.Add(BytesOf(of_inner));
  return outer.Finish();
}

bool SameBytes(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  // An early end would tell by its time how much of a guess is right.
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace epik::scopes
