// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): with it, a station proves that it knows a secret without telling
// it.
#ifndef EPIK_TOOLS_SCOPES_HMAC_H_
#define EPIK_TOOLS_SCOPES_HMAC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace epik::scopes {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  void Add(std::string_view bytes);
  Digest Finish();

 private:
  void Block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_ = {};
  uint64_t bytes_ = 0;
};

// The digest of all pieces, one behind the other.
Digest Hmac(std::string_view key, std::initializer_list<std::string_view> pieces);

// Takes the same time for any position at which they differ.
bool SameBytes(std::string_view a, std::string_view b);

inline std::string_view BytesOf(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_HMAC_H_
