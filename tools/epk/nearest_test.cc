// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/nearest.h"

#include <gtest/gtest.h>

namespace epik::epk {
namespace {

TEST(Nearest, FindsSlipsAndBeginnings) {
  const std::vector<std::string> known = {"instrument", "run", "report", "reduce", "doctor", "diff"};
  EXPECT_EQ(Nearest("docter", known), "doctor");
  EXPECT_EQ(Nearest("dotcor", known), "doctor");
  EXPECT_EQ(Nearest("inst", known), "instrument");
  EXPECT_EQ(Nearest("reprot", known), "report");
  EXPECT_EQ(Nearest("rnu", known), "run");
  EXPECT_EQ(Nearest("dif", known), "diff");
}

TEST(Nearest, SaysNothingRatherThanNonsense) {
  const std::vector<std::string> known = {"instrument", "run", "report"};
  EXPECT_EQ(Nearest("frobnicate", known), "");
  EXPECT_EQ(Nearest("", known), "");
  EXPECT_EQ(Nearest("x", known), "");
  EXPECT_EQ(Nearest(std::string(100000, 'r'), known), "");
  EXPECT_EQ(Nearest("anything", {}), "");
}

}  // namespace
}  // namespace epik::epk
