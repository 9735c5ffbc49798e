// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/own_heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace epik::base {
namespace {

struct Block {
  unsigned char* at;
  size_t bytes;
  unsigned char fill;
};

bool Holds(const Block& block) {
  for (size_t i = 0; i < block.bytes; ++i) {
    if (block.at[i] != block.fill) return false;
  }
  return true;
}

// Takes and gives back blocks of all sizes; each must keep its contents while others come and go.
void TakeAndGive(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Block> blocks;
  for (int i = 0; i < 4000; ++i) {
    if (!blocks.empty() && random() % 3 == 0) {
      const size_t which = random() % blocks.size();
      ASSERT_TRUE(Holds(blocks[which]));
      GiveOwn(blocks[which].at);
      blocks[which] = blocks.back();
      blocks.pop_back();
      continue;
    }
    const size_t bytes = random() % (size_t{1} << random() % 19);
    const Block block{static_cast<unsigned char*>(TakeOwn(bytes)), bytes, static_cast<unsigned char>(random())};
    ASSERT_NE(block.at, nullptr);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block.at) % 16, 0u);
    std::memset(block.at, block.fill, block.bytes);
    blocks.push_back(block);
  }
  for (const Block& block : blocks) {
    ASSERT_TRUE(Holds(block));
    GiveOwn(block.at);
  }
}

TEST(OwnHeap, BlocksAreApart) {
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(TakeAndGive, seed);
  for (std::thread& thread : threads) thread.join();
}

TEST(OwnHeap, ABlockThatWasGivenBackIsTakenAgain) {
  void* first = TakeOwn(100);
  GiveOwn(first);
  EXPECT_EQ(TakeOwn(90), first);
}

TEST(OwnHeap, GivesNothingWhereThereIsNothing) {
  EXPECT_EQ(TakeOwn(SIZE_MAX), nullptr);
  EXPECT_EQ(TakeOwn(size_t{1} << 60), nullptr);
  GiveOwn(nullptr);
}

// Ends with 1 if a block of the reserve is missing, with 2 if there is more memory than the limit allows.
[[noreturn]] void TakeAllWithoutMemory() {
  if (!ReserveOwn()) _exit(1);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_AS, &none);
  for (size_t taken = 0; taken < 128u << 10; taken += 128) {
    if (TakeOwn(100) == nullptr) _exit(1);
  }
  while (TakeOwn(100) != nullptr) {
  }
  _exit(ReserveOwn() ? 2 : 0);
}

TEST(OwnHeap, TheReserveIsThereWithoutMemory) { EXPECT_EXIT(TakeAllWithoutMemory(), testing::ExitedWithCode(0), ""); }

}  // namespace
}  // namespace epik::base
