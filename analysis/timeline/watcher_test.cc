// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/watcher.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace epik::timeline {
namespace {

TEST(CurveMaker, KeepsAllValuesWhileThereIsRoom) {
  CurveMaker maker(10);
  for (int i = 0; i < 10; ++i) maker.Add(i * 7, i);
  const std::vector<Curve::Point> points = maker.Take();
  ASSERT_EQ(points.size(), 10u);
  EXPECT_EQ(points[3], (Curve::Point{21, 3, 3, 3}));
}

TEST(CurveMaker, NeighboursBecomeOneWithTheirBoundsAndTheLastValue) {
  constexpr size_t kMost = 64;
  CurveMaker maker(kMost);
  for (int64_t i = 0; i < 100'000; ++i) maker.Add(i * 13, static_cast<double>(i % 1000));
  const std::vector<Curve::Point> points = maker.Take();
  EXPECT_LE(points.size(), kMost);
  EXPECT_GE(points.size(), kMost / 4);
  EXPECT_EQ(points.front().at, 0);
  EXPECT_EQ(points.back().last, 999);
  for (size_t i = 0; i < points.size(); ++i) {
    // Each point has the bounds of the values from its time until the time of the next point.
    const int64_t until = i + 1 < points.size() ? points[i + 1].at : 100'000 * 13;
    double least = 1e9, most = -1;
    for (int64_t n = points[i].at / 13; n * 13 < until; ++n) {
      least = std::min(least, static_cast<double>(n % 1000));
      most = std::max(most, static_cast<double>(n % 1000));
    }
    EXPECT_EQ(points[i].least, least);
    EXPECT_EQ(points[i].most, most);
    EXPECT_EQ(points[i].last, static_cast<double>((until - 1) / 13 % 1000));
  }
}

TEST(CurveMaker, ManyValuesAtOneTimeAreOnePoint) {
  CurveMaker maker(4);
  for (int i = 0; i < 1000; ++i) maker.Add(5, i);
  ASSERT_EQ(maker.Take(), (std::vector<Curve::Point>{{5, 0, 999, 999}}));
}

}  // namespace
}  // namespace epik::timeline
