// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzzer without libFuzzer: with bytes of a seeded generator, the same in every run.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// Sanitizers take ten times as long for each input.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kInputs = 300;
#else
constexpr int kInputs = 2000;
#endif

TEST(Fuzzer, NothingBreaksAndAllEnds) {
  std::mt19937 random(19);
  for (int i = 0; i < kInputs; ++i) {
    std::vector<uint8_t> bytes(random() % 1500);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace
