// SPDX-License-Identifier: BSD-3-Clause
#include "config/nearest.h"

#include <gtest/gtest.h>

namespace epik::config {
namespace {

TEST(EditDistance, OneStepEach) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("trace", "TRACE"), 0);
  EXPECT_EQ(EditDistance("trace", "tracce"), 1);
  EXPECT_EQ(EditDistance("trace", "trce"), 1);
  EXPECT_EQ(EditDistance("trace", "trate"), 1);
  EXPECT_EQ(EditDistance("trace", "trcae"), 1);  // neighbours swapped
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(Nearest, OnlyWhenNearEnough) {
  const std::vector<std::string_view> known = {"EPK_TRACE", "EPK_TITLE", "ESD_PATHS"};
  EXPECT_EQ(Nearest("EPK_TRACCE", known), "EPK_TRACE");
  EXPECT_EQ(Nearest("epk_tilte", known), "EPK_TITLE");
  EXPECT_EQ(Nearest("EPK_PATHS", known), "ESD_PATHS");
  EXPECT_EQ(Nearest("EPK_COLOUR", known), "");
  EXPECT_EQ(Nearest("", known), "");
  EXPECT_EQ(Nearest("EPK_TRACE", {}), "");
  EXPECT_EQ(Nearest(std::string(100000, 'E'), known), "");
}

TEST(Nearest, TheFirstOfEquals) { EXPECT_EQ(Nearest("axcd", {"abcd", "aecd"}), "abcd"); }

}  // namespace
}  // namespace epik::config
