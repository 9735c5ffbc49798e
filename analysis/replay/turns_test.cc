// SPDX-License-Identifier: BSD-3-Clause
// Compares turns with a search through all threads.
#include "analysis/replay/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace epik::replay {
namespace {

TEST(Turns, TheLeastIsThatOfAllThreads) {
  std::mt19937 random(7);
  for (const uint32_t threads : {1u, 2u, 3u, 4u, 5u, 64u, 65u}) {
    Turns turns;
    turns.Resize(threads);
    EXPECT_EQ(turns.Least(), Turns::kEnd);
    std::vector<uint64_t> ticks(threads, Turns::kEnd);
    for (int i = 0; i < 500; ++i) {
      const uint32_t thread = random() % threads;
      ticks[thread] = random() % 8 == 0 ? Turns::kEnd : random() % 100;
      turns.Set(thread, ticks[thread]);
      EXPECT_EQ(turns.Least(), *std::min_element(ticks.begin(), ticks.end()));
    }
  }
}

TEST(Turns, ThoseWhoseTurnItIsAreWokenFromTheEarliestOn) {
  Turns turns;
  turns.Resize(3);
  for (uint32_t thread = 0; thread < 3; ++thread) turns.Set(thread, 10 + thread);
  turns.Wait({12, 2, 1});
  turns.Wait({11, 1, 1});
  turns.Wait({11, 0, 4});
  std::vector<uint32_t> woken;
  const auto wake = [&](const Turns::Waiter& waiter) { woken.push_back(waiter.location); };
  turns.WakeAll(wake);
  EXPECT_TRUE(woken.empty());
  turns.Set(0, 11);
  turns.WakeAll(wake);
  EXPECT_EQ(woken, (std::vector<uint32_t>{0, 1}));
  turns.WakeAll(wake);
  EXPECT_EQ(woken.size(), 2u);
  turns.Set(0, Turns::kEnd);
  turns.Set(1, Turns::kEnd);
  turns.WakeAll(wake);
  EXPECT_EQ(woken, (std::vector<uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace epik::replay
