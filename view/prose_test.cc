// SPDX-License-Identifier: BSD-3-Clause
#include "view/prose.h"

#include <gtest/gtest.h>

#include "view/text.h"

namespace epik::view {
namespace {

using Lines = std::vector<std::string>;

TEST(Prose, Wraps) {
  EXPECT_EQ(Wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(Wrap("  one\n  two ", 20), (Lines{"one two"}));
  EXPECT_EQ(Wrap("a incomprehensible b", 5), (Lines{"a", "incomprehensible", "b"}));
  EXPECT_EQ(Wrap("", 5), (Lines{""}));
}

TEST(Prose, AFigureStaysWithItsUnit) {
  EXPECT_EQ(Wrap("it took 12.3 ms, more", 12), (Lines{"it took", "12.3 ms,", "more"}));
  EXPECT_EQ(Wrap("about 1.23 s ± 20 ms in all", 14), (Lines{"about", "1.23 s ± 20 ms", "in all"}));
  EXPECT_EQ(Wrap("costs 37.1 % of it", 10), (Lines{"costs", "37.1 % of", "it"}));
  EXPECT_EQ(Wrap("of 181 000 call paths", 8), (Lines{"of", "181 000", "call", "paths"}));
  EXPECT_EQ(Wrap("of 181 000 call paths", 5), (Lines{"of", "181 000", "call", "paths"}));
  EXPECT_EQ(Wrap("took (1 234 567 ns)", 9), (Lines{"took", "(1 234 567 ns)"}));
  EXPECT_EQ(Wrap("100 calls", 5), (Lines{"100", "calls"}));  // these two may be separated
}

TEST(Prose, ACommandStaysInOnePiece) {
  EXPECT_EQ(Wrap("see `epk help run` for more", 15), (Lines{"see", "`epk help run`", "for more"}));
  EXPECT_EQ(Wrap("see (`epk help run`), then", 18), (Lines{"see", "(`epk help run`),", "then"}));
  EXPECT_EQ(Wrap("`a b c d e f g h`", 5), (Lines{"`a b", "c d e", "f g", "h`"}));  // too long for a line
  EXPECT_EQ(Wrap("one `open a b", 7), (Lines{"one", "`open a", "b"}));
}

TEST(Prose, EveryWidthHoldsAllWords) {
  const std::string text =
      "at 23.1 ns per enter and exit: 1.20 s, 12.3 % of the time; see `epk score --suggest` and µs";
  for (size_t width = 1; width < 100; ++width) {
    std::string joined;
    for (const std::string& line : Wrap(text, width)) joined += (joined.empty() ? "" : " ") + line;
    EXPECT_EQ(joined, text) << width;
  }
}

TEST(Prose, Indents) {
  EXPECT_EQ(Wrapped("", "a bb ccc dddd", 2, 8), "a bb ccc\n  dddd\n");
  EXPECT_EQ(Wrapped("x", "a bb ccc dddd", 3, 8), "x  a bb\n   ccc\n   dddd\n");
  EXPECT_EQ(Labelled("when", "now", 40), "when       now\n");
  EXPECT_EQ(Labelled("", "now", 40), "           now\n");
}

TEST(Prose, ARankStaysWithItsNumber) {
  EXPECT_EQ(Wrap("most on rank 2 thread 0.", 13), (Lines{"most on", "rank 2", "thread 0."}));
  EXPECT_EQ(Wrap(std::string_view("a rank 2").substr(0, 7), 13), (Lines{"a rank"})) << "what is behind the text";
}

}  // namespace
}  // namespace epik::view
