// SPDX-License-Identifier: BSD-3-Clause
#include "view/terminal.h"

#include <gtest/gtest.h>

#include <map>

namespace epik::view {
namespace {

Terminal Describe(bool is_terminal, size_t columns, const std::map<std::string, std::string>& environment) {
  return DescribeTerminal(is_terminal, columns, [&environment](const char* name) -> const char* {
    const auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  });
}

TEST(Terminal, Width) {
  EXPECT_EQ(Describe(false, 0, {}).width, 100u);
  EXPECT_EQ(Describe(false, 132, {}).width, 100u);
  EXPECT_EQ(Describe(true, 132, {}).width, 132u);
  EXPECT_EQ(Describe(true, 0, {}).width, 100u);
  EXPECT_EQ(Describe(true, 132, {{"COLUMNS", "90"}}).width, 90u);
  EXPECT_EQ(Describe(false, 0, {{"COLUMNS", "90"}}).width, 90u);
  EXPECT_EQ(Describe(false, 0, {{"COLUMNS", "wide"}}).width, 100u);
  EXPECT_EQ(Describe(false, 0, {{"COLUMNS", "-5"}}).width, 100u);
  EXPECT_EQ(Describe(false, 0, {{"COLUMNS", "3"}}).width, 40u);
}

TEST(Terminal, ColourOnlyWhereItCanBeSeen) {
  EXPECT_TRUE(Describe(true, 80, {{"TERM", "xterm"}}).colour);
  EXPECT_FALSE(Describe(false, 0, {{"TERM", "xterm"}}).colour);
  EXPECT_FALSE(Describe(true, 80, {{"TERM", "dumb"}}).colour);
  EXPECT_FALSE(Describe(true, 80, {}).colour);
  EXPECT_FALSE(Describe(true, 80, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).colour);
  EXPECT_TRUE(Describe(true, 80, {{"TERM", "xterm"}, {"NO_COLOR", ""}}).colour);  // no-color.org: empty is not set
}

TEST(Terminal, UnicodeByLocale) {
  EXPECT_TRUE(Describe(false, 0, {{"LANG", "de_DE.UTF-8"}}).unicode);
  EXPECT_TRUE(Describe(false, 0, {{"LC_ALL", "C.utf8"}}).unicode);
  EXPECT_TRUE(Describe(false, 0, {}).unicode);
  EXPECT_FALSE(Describe(true, 80, {}).unicode);
  EXPECT_FALSE(Describe(false, 0, {{"LC_ALL", "C"}}).unicode);
  EXPECT_FALSE(Describe(false, 0, {{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}).unicode);
  EXPECT_TRUE(Describe(false, 0, {{"LC_ALL", ""}, {"LANG", "de_DE.UTF-8"}}).unicode);
}

TEST(Terminal, Paints) {
  Terminal terminal;
  EXPECT_EQ(terminal.Paint(Style::kBad, "x"), "x");
  terminal.colour = true;
  EXPECT_EQ(terminal.Paint(Style::kBold, "x"), "\033[1mx\033[0m");
  EXPECT_EQ(terminal.Paint(Style::kPlain, "x"), "x");
  EXPECT_EQ(terminal.Paint(Style::kBold, ""), "");
  EXPECT_EQ(terminal.Dim("a\nb\n"), "\033[2ma\033[0m\n\033[2mb\033[0m\n");  // for pagers, which forget colours
}

}  // namespace
}  // namespace epik::view
