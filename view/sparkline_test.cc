// SPDX-License-Identifier: BSD-3-Clause
#include "view/sparkline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace epik::view {
namespace {

Terminal With(bool unicode) {
  Terminal terminal;
  terminal.unicode = unicode;
  return terminal;
}

TEST(Sparkline, HeightsAreShares) {
  EXPECT_EQ("▁ ▄█", Sparkline(With(true), {0.001, 0, 4, 8}, 10));
  EXPECT_EQ(". :#", Sparkline(With(false), {0.001, 0, 4, 8}, 10));
}

TEST(Sparkline, ColumnsAreSumsWhereThereAreMany) {
  EXPECT_EQ("▄█", Sparkline(With(true), {1, 1, 2, 2}, 2));
  EXPECT_EQ("▄█▄", Sparkline(With(true), {1, 1, 2, 2, 2}, 3));
}

TEST(Sparkline, NothingAndNoNumbers) {
  EXPECT_EQ("", Sparkline(With(true), {}, 10));
  EXPECT_EQ("", Sparkline(With(true), {1}, 0));
  EXPECT_EQ("  ", Sparkline(With(true), {0, 0}, 10));
  EXPECT_EQ("█ ", Sparkline(With(true), {1, std::nan("")}, 10));
}

}  // namespace
}  // namespace epik::view
