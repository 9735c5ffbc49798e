// SPDX-License-Identifier: BSD-3-Clause
#include "view/text.h"

#include <gtest/gtest.h>

namespace epik::view {
namespace {

TEST(Text, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(Width(""), 0u);
  EXPECT_EQ(Width("solve"), 5u);
  EXPECT_EQ(Width("löse"), 4u);
  EXPECT_EQ(Width("e\xCC\x81"), 1u);  // combining accent
  EXPECT_EQ(Width("解く"), 4u);
  EXPECT_EQ(Width("🚀"), 2u);
  EXPECT_EQ(Width("a\xFFz"), 3u);
  EXPECT_EQ(Width("\xE8\xA7"), 2u);  // a character that was cut off: two broken bytes
}

TEST(Text, PrintableTakesOutWhatSteersATerminal) {
  EXPECT_EQ(Printable("plain löse 解"), "plain löse 解");
  EXPECT_EQ(Printable("a\x1b[31mb\x07"), "a?[31mb?");
  EXPECT_EQ(Printable("tab\tline\n"), "tab?line?");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "?31m");  // CSI as one character
  EXPECT_EQ(Printable("\xE2\x80\xAE"
                      "evil"),
            "?evil");                                     // right-to-left override
  EXPECT_EQ(Printable("\xC0\xAF\xED\xA0\x80"), "?????");  // overlong, surrogate
}

TEST(Text, ShortenKeepsWhatFits) {
  EXPECT_EQ(Shorten("solve", 5), "solve");
  EXPECT_EQ(Shorten("solver", 5), "solv…");
  EXPECT_EQ(Shorten("solver", 5, Cut::kEnd, "..."), "so...");
  EXPECT_EQ(Shorten("abcdefghij", 7, Cut::kMiddle), "abc…hij");
  EXPECT_EQ(Shorten("abcdefghij", 6, Cut::kMiddle), "abc…ij");
  EXPECT_EQ(Shorten("解解解", 4), "解…");  // a wide character that would not fit is left out
  EXPECT_EQ(Shorten("abcdefghij", 6, Cut::kStart), "…fghij");
  EXPECT_EQ(Shorten("abc", 1), "…");
  EXPECT_EQ(Shorten("abc", 2, Cut::kEnd, "..."), "..");
  EXPECT_EQ(Shorten("abc", 0), "");
}

TEST(Text, ShortenNeverExceeds) {
  const std::string text =
      "a解e\xCC\x81z🚀löse\xFF"
      "end";
  for (size_t width = 0; width < 20; ++width) {
    for (Cut cut : {Cut::kEnd, Cut::kMiddle, Cut::kStart}) EXPECT_LE(Width(Shorten(text, width, cut)), width);
  }
}

TEST(Text, Pads) {
  EXPECT_EQ(PadRight("ö", 3), "ö  ");
  EXPECT_EQ(PadLeft("ö", 3), "  ö");
  EXPECT_EQ(PadLeft("long", 3), "long");
}

}  // namespace
}  // namespace epik::view
