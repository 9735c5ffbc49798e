// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/heap/live.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>
#include <vector>

namespace epik::heap {
namespace {

uint64_t Total() {
  uint64_t bytes = 0;
  ForEach([](const Block& block, void* sum) { *static_cast<uint64_t*>(sum) += block.bytes; }, &bytes);
  return bytes;
}

// Addresses close together, so that many share a place in the table and holes are filled again and again.
TEST(Live, IsAMap) {
  std::mt19937 random(1);
  std::map<uint64_t, uint64_t> expected;
  uint64_t bytes = 0;
  for (int i = 0; i < 50'000; ++i) {
    const uint64_t address = 16 * (1 + random() % 20'000);
    const auto at = expected.find(address);
    if (at == expected.end()) {
      ASSERT_TRUE(Keep({address, address + 1, 7}));
      expected[address] = address + 1;
      bytes += address + 1;
      continue;
    }
    const Block block = Take(address);
    ASSERT_EQ(block.address, address);
    ASSERT_EQ(block.bytes, at->second);
    ASSERT_EQ(Take(address).address, 0u) << "it was taken";
    bytes -= at->second;
    expected.erase(at);
  }
  EXPECT_EQ(Total(), bytes);
  for (const auto& [address, size] : expected) ASSERT_EQ(Take(address).bytes, size);
  EXPECT_EQ(Total(), 0u);
}

TEST(Live, OfManyThreads) {
  constexpr uint64_t kThreads = 4, kBlocks = 5'000;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (uint64_t i = 1; i <= kBlocks; ++i) EXPECT_TRUE(Keep({16 * (i * kThreads + t), 1, t}));
      for (uint64_t i = 2; i <= kBlocks; ++i) EXPECT_EQ(Take(16 * (i * kThreads + t)).place, t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Total(), kThreads) << "the first block of each";
}

}  // namespace
}  // namespace epik::heap
