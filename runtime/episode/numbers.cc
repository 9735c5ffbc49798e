// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/numbers.h"

#include <cstring>

namespace epik::episode {

namespace {

constexpr uint32_t kMost = 1u << 14;  // beyond it numbers only ascend

uint64_t taken[kMost / 64];
uint32_t next = kMost;

}  // namespace

uint32_t TakeNumber(uint32_t wanted) {
  for (uint32_t n = wanted; n < kMost; ++n) {
    uint64_t& word = taken[n / 64];
    const uint64_t bit = uint64_t{1} << (n % 64);
    if (word == ~uint64_t{0}) {
      n |= 63;
      continue;
    }
    if ((word & bit) != 0) continue;
    word |= bit;
    return n;
  }
  return next++;
}

void ForgetNumbers() {
  std::memset(taken, 0, sizeof taken);
  next = kMost;
}

}  // namespace epik::episode
