// SPDX-License-Identifier: BSD-3-Clause
#include "view/bar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "view/text.h"

namespace epik::view {
namespace {

TEST(Bar, Unicode) {
  const Terminal terminal;
  EXPECT_EQ(Bar(terminal, 0, 4), "    ");
  EXPECT_EQ(Bar(terminal, 1, 4), "████");
  EXPECT_EQ(Bar(terminal, 0.5, 4), "██  ");
  EXPECT_EQ(Bar(terminal, 0.5, 3), "█▌ ");
  EXPECT_EQ(Bar(terminal, 1e-9, 4), "▏   ");
  EXPECT_EQ(Bar(terminal, 7, 2), "██");
  EXPECT_EQ(Bar(terminal, std::nan(""), 2), "  ");
}

TEST(Bar, Ascii) {
  Terminal terminal;
  terminal.unicode = false;
  EXPECT_EQ(Bar(terminal, 0.5, 4), "##  ");
  EXPECT_EQ(Bar(terminal, 0.01, 4), "#   ");
}

TEST(Bar, AlwaysItsWidth) {
  for (bool unicode : {true, false}) {
    Terminal terminal;
    terminal.unicode = unicode;
    for (int share = -1; share <= 101; ++share) EXPECT_EQ(Width(Bar(terminal, share / 100.0, 7)), 7u);
  }
}

TEST(Bar, StackedIsAsLongAsTheWhole) {
  Terminal terminal;
  terminal.unicode = false;
  const BarPart a{"█", "#", Style::kPlain}, b{"▒", "m", Style::kMpi};
  EXPECT_EQ(StackedBar(terminal, {{0.5, a}, {0.25, b}}, 8), "####mm");
  EXPECT_EQ(StackedBar(terminal, {{1.0 / 3, a}, {1.0 / 3, b}, {1.0 / 3, a}}, 4), "#mm#");
  EXPECT_EQ(StackedBar(terminal, {{-1, a}, {std::nan(""), a}, {7, b}}, 3), "mmm");
  terminal.unicode = true;
  EXPECT_EQ(StackedBar(terminal, {{0.5, a}, {0.5, b}}, 2), "█▒");
}

}  // namespace
}  // namespace epik::view
