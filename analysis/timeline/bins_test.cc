// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/bins.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace epik::timeline {
namespace {

double ShareOf(const Bins& bins, size_t bin, Kind kind) {
  for (uint32_t p = bins.begin[bin]; p < bins.begin[bin + 1]; ++p) {
    if (bins.parts[p].kind == static_cast<uint8_t>(kind)) return bins.parts[p].share / 65535.0;
  }
  return 0;
}

TEST(Bins, TimeGoesWhereItWasSpent) {
  BinFiller filler(1000, 100, 10);
  filler.Skip(1050);
  filler.Take(1100, Kind::kComputation, 7);
  filler.Take(1325, Kind::kCollective, 8);
  filler.Take(1330, Kind::kComputation, 7);
  filler.Wait(1120, 1310);
  const Bins bins = filler.Finish();
  ASSERT_EQ(bins.size(), 4u);
  EXPECT_NEAR(ShareOf(bins, 0, Kind::kComputation), 0.5, 1e-4);
  EXPECT_NEAR(ShareOf(bins, 1, Kind::kCollective), 1, 1e-4);
  EXPECT_NEAR(ShareOf(bins, 3, Kind::kCollective), 0.25, 1e-4);
  EXPECT_NEAR(ShareOf(bins, 3, Kind::kComputation), 0.05, 1e-4);
  EXPECT_EQ(bins.path, (std::vector<uint32_t>{7, 8, 8, 8}));
  EXPECT_EQ(bins.waiting, (std::vector<uint8_t>{0, 204, 255, 26}));
}

TEST(Bins, NothingGoesBeyondTheLastOne) {
  BinFiller filler(0, 10, 3);
  filler.Take(1000, Kind::kIdle, 1);
  filler.Take(2000, Kind::kComputation, 2);
  filler.Wait(-50, 5000);
  const Bins bins = filler.Finish();
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_EQ(bins.to(), 30);
  for (size_t bin = 0; bin < 3; ++bin) EXPECT_NEAR(ShareOf(bins, bin, Kind::kIdle), 1, 1e-4);
}

// Compares with a slow and simple way: each nanosecond by itself.
TEST(Bins, RandomTimesAgreeWithCounting) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int64_t width = 1 + static_cast<int64_t>(random() % 50);
    const size_t count = 1 + random() % 40;
    BinFiller filler(0, width, count);
    std::map<std::pair<size_t, int>, int64_t> truth;
    int64_t at = 0;
    while (at < width * static_cast<int64_t>(count)) {
      const int64_t to = at + static_cast<int64_t>(random() % 70);
      const int kind = static_cast<int>(random() % 3);
      for (int64_t ns = at; ns < to; ++ns) ++truth[{static_cast<size_t>(ns / width), kind}];
      filler.Take(to, static_cast<Kind>(kind), static_cast<uint32_t>(kind));
      at = to;
    }
    const Bins bins = filler.Finish();
    ASSERT_EQ(bins.size(), count);
    for (size_t bin = 0; bin < count; ++bin) {
      for (int kind = 0; kind < 3; ++kind) {
        const double share = static_cast<double>(truth[{bin, kind}]) / static_cast<double>(width);
        EXPECT_NEAR(ShareOf(bins, bin, static_cast<Kind>(kind)), share, 1e-4);
      }
    }
    // Other bins hold the same time.
    const Bins other = Rebin(bins, 0, bins.to(), 1 + random() % 60);
    for (int kind = 0; kind < 3; ++kind) {
      double before = 0, after = 0;
      for (size_t bin = 0; bin < bins.size(); ++bin) before += ShareOf(bins, bin, static_cast<Kind>(kind));
      for (size_t bin = 0; bin < other.size(); ++bin) after += ShareOf(other, bin, static_cast<Kind>(kind));
      EXPECT_NEAR(before / static_cast<double>(bins.size()), after / static_cast<double>(other.size()), 2e-3);
    }
  }
}

}  // namespace
}  // namespace epik::timeline
