// SPDX-License-Identifier: BSD-3-Clause
// Tests whether the times of untimed visits follow from those of timed ones: scripts of durations, sampled as the hooks
// do it.
#include "runtime/choice/sampled_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace epik::choice {
namespace {

constexpr uint64_t kVisits = 2'000'000;
constexpr uint64_t kLongest = 3'000'000;

struct Outcome {
  double relative_error;
  double standard_error;  // relative
  double timed_share;
};

Outcome Sample(uint64_t seed, const std::function<uint64_t(uint64_t, std::mt19937_64&)>& duration) {
  std::mt19937_64 program(seed), ours(seed ^ 0x5eed);
  event::SampledPath path = {};
  uint32_t interval = kFirstInterval;
  Block block = NextBlock(0, interval, ours());
  double truth = 0, exact = 0;
  uint64_t last = 0, untimed = 0;
  for (uint64_t i = 0; i < kVisits; ++i) {
    const uint64_t ticks = duration(i, program);
    truth += static_cast<double>(ticks);
    if (block.skip > 1) {
      --block.skip;
      ++untimed;
      continue;
    }
    exact += static_cast<double>(ticks);
    AddSample(&path, interval, ticks, last, kLongest);
    last = ticks;
    if (path.timed % 16 == 0) interval = BestInterval(path, interval, exact);
    block = NextBlock(block.rest, interval, ours());
  }
  const double scale = static_cast<double>(untimed) / static_cast<double>(path.covered);
  const double estimate = exact + static_cast<double>(path.covered_ticks) * scale;
  return {std::fabs(estimate - truth) / truth, std::sqrt(path.variance) * scale / truth,
          static_cast<double>(kVisits - untimed) / static_cast<double>(kVisits)};
}

void ExpectKnown(const std::function<uint64_t(uint64_t, std::mt19937_64&)>& duration) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Outcome outcome = Sample(seed, duration);
    EXPECT_LT(outcome.relative_error, 0.02) << "seed " << seed;
    EXPECT_LE(outcome.relative_error, 5 * outcome.standard_error + 1e-4) << "seed " << seed;
    EXPECT_LE(outcome.timed_share, 1.05 / kShortestInterval) << "seed " << seed;
  }
}

TEST(HotPaths, ShortUniformDurations) {
  ExpectKnown([](uint64_t, std::mt19937_64& random) { return 20 + random() % 40; });
}

TEST(HotPaths, BimodalDurations) {
  ExpectKnown([](uint64_t, std::mt19937_64& random) { return random() % 10 == 0 ? 3000 : 60; });
}

TEST(HotPaths, DurationsThatChangeWithThePhase) {
  ExpectKnown([](uint64_t visit, std::mt19937_64& random) {
    const uint64_t phase = visit / 150'000 % 3;
    return (phase == 0 ? 50 : phase == 1 ? 2000 : 400) + random() % 20;
  });
}

// A program with a period of its own: each 64th visit is the long one. Timing at fixed distances would take all of
// them or none.
TEST(HotPaths, DoesNotBeatWithTheProgram) {
  for (const uint64_t period : {16, 32, 64, 128}) {
    ExpectKnown([period](uint64_t visit, std::mt19937_64&) { return visit % period == 5 ? 2000 : 50; });
  }
}

TEST(HotPaths, OneInABlockIsTimed) {
  std::mt19937_64 random(7);
  uint32_t rest = 0;
  uint64_t until = 0, blocks = 0;
  for (; blocks < 10'000; ++blocks) {
    const Block block = NextBlock(rest, 64, random());
    ASSERT_GE(block.skip, rest + 1);
    ASSERT_LT(block.rest, 64u);
    ASSERT_EQ(block.skip - rest - 1 + block.rest, 63u);
    rest = block.rest;
    until += block.skip;
  }
  EXPECT_LE(until + rest, 64 * blocks);
  EXPECT_GT(until + 64, 64 * blocks);
}

// A visit that was interrupted for long says nothing about the visits around it, and does not make sampling denser.
TEST(HotPaths, ASurpriseIsKeptApart) {
  event::SampledPath path = {};
  for (int i = 0; i < 1000; ++i)
    AddSample(&path, 64, i == 500 ? 2 * kLongest : 100, i == 501 ? 2 * kLongest : 100, kLongest);
  EXPECT_EQ(path.timed, 1000u);
  EXPECT_EQ(path.long_timed, 1u);
  EXPECT_EQ(path.covered, 999u * 63);
  EXPECT_EQ(path.covered_ticks, 999u * 63 * 100);
  EXPECT_EQ(path.variance, 0);
  EXPECT_EQ(BestInterval(path, 64, 1e5), 128u);
}

}  // namespace
}  // namespace epik::choice
