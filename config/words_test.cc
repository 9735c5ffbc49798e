// SPDX-License-Identifier: BSD-3-Clause
#include "config/words.h"

#include <gtest/gtest.h>

namespace epik::config {
namespace {

TEST(Words, BlanksAtBothEndsGo) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \v\f "), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(Words, CaseOfAsciiAlone) {
  EXPECT_EQ(Lower("EPK_Ä"), "epk_Ä");
  EXPECT_EQ(Upper("epk_ä"), "EPK_ä");
  EXPECT_TRUE(SameWord("OpenMP", "openmp"));
  EXPECT_FALSE(SameWord("openmp", "openm"));
}

TEST(Words, Globs) {
  EXPECT_TRUE(GlobMatches("a*c", "abbc"));
  EXPECT_FALSE(GlobMatches("a*c", "abb"));
  EXPECT_TRUE(GlobMatches("*a*b*", "xxaxxbxx"));
  EXPECT_TRUE(GlobMatches("a?c", "abc"));
  EXPECT_TRUE(GlobMatches("[a-c]x", "bx"));
  EXPECT_FALSE(GlobMatches("[!a-c]x", "bx"));
  EXPECT_TRUE(GlobMatches("a\\*", "a*"));
  EXPECT_FALSE(GlobMatches("a\\*", "ab"));
  EXPECT_TRUE(GlobMatches("[x", "[x"));
}

}  // namespace
}  // namespace epik::config
