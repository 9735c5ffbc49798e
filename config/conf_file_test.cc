// SPDX-License-Identifier: BSD-3-Clause
#include "config/conf_file.h"

#include <gtest/gtest.h>

namespace epik::config {
namespace {

using std::literals::operator""sv;

constexpr const char* kVariables[] = {"HOME=/home/ann", "EMPTY=",         "EPK_TITLE=mine", "TOKEN=hush",
                                      "TOKEN=second",   "no equals sign", nullptr};

ConfText Parsed(std::string_view text) { return ParseConf(text, Environment(kVariables), "/inst/etc"); }

// The value of `K = text`, or "refused: why".
std::string Value(const std::string& text) {
  const ConfText conf = Parsed("K = " + text);
  if (conf.entries.empty()) return "refused: " + (conf.problems.empty() ? "?" : conf.problems[0].text);
  return conf.entries[0].value;
}

TEST(ConfFile, LinesCommentsAndBlanks) {
  const ConfText conf = Parsed("\xef\xbb\xbf# head\n\n  A=1\n\tB\t=\t2 3 # why\r\nC= # nothing\n  # D = 4\nE = 5");
  ASSERT_TRUE(conf.problems.empty());
  ASSERT_EQ(conf.entries.size(), 4u);
  EXPECT_EQ(conf.entries[0].key + "=" + conf.entries[0].value, "A=1");
  EXPECT_EQ(conf.entries[0].line, 3);
  EXPECT_EQ(conf.entries[1].value, "2 3");
  EXPECT_EQ(conf.entries[2].value, "");
  EXPECT_EQ(conf.entries[3].key + "=" + conf.entries[3].value, "E=5");
  EXPECT_EQ(conf.entries[3].line, 7);
}

TEST(ConfFile, Quotes) {
  EXPECT_EQ(Value("\" a # b \" # c"), " a # b ");
  EXPECT_EQ(Value("' $HOME \\n # \"'"), " $HOME \\n # \"");
  EXPECT_EQ(Value("\"a\\\"b\\\\c\\$HOME\\n\\t\\r\\q\""), "a\"b\\c$HOME\n\t\r\\q");
  EXPECT_EQ(Value("\"\""), "");
  EXPECT_EQ(Value("Peter's \"run\""), "Peter's \"run\"");  // not at the beginning: letters
  EXPECT_EQ(Value("\"open"), "refused: a quote is not closed");
  EXPECT_EQ(Value("\"open\\\""), "refused: a quote is not closed");
  EXPECT_EQ(Value("'open"), "refused: a quote is not closed");
  EXPECT_EQ(Value("\"a\" b"), "refused: text behind the closing quote");
}

TEST(ConfFile, EveryVariableIsReplaced) {
  EXPECT_EQ(Value("$HOME/a:${HOME}b$HOME"), "/home/ann/a:/home/annb/home/ann");
  EXPECT_EQ(Value("\"<$HOME> ${EPK_TITLE}\""), "</home/ann> mine");
  EXPECT_EQ(Value("$EMPTY."), ".");
  EXPECT_EQ(Value("$TOKEN"), "hush");  // as getenv: the first
  EXPECT_EQ(Value("$DOCDIR/METRICS.SPEC"), "/inst/etc/METRICS.SPEC");
  EXPECT_EQ(Value("5$ $1 $"), "5$ $1 $");
  EXPECT_EQ(Value("${"), "refused: ${ without NAME}");
  EXPECT_EQ(Value("${}"), "refused: ${ without NAME}");
  EXPECT_EQ(Value("${HOME"), "refused: ${ without NAME}");
  EXPECT_EQ(Value("${HOME:-x}"), "refused: ${ without NAME}");
}

TEST(ConfFile, WhatIsReplacedIsNotReplacedAgain) {
  const char* const variables[] = {"A=$B # c", "B=x", nullptr};
  const ConfText conf = ParseConf("K = $A", Environment(variables), "");
  ASSERT_EQ(conf.entries.size(), 1u);
  EXPECT_EQ(conf.entries[0].value, "$B # c");
}

TEST(ConfFile, AVariableThatIsNotSetIsToldOf) {
  const ConfText conf = Parsed("\nK = a${NOPE}b");
  ASSERT_EQ(conf.entries.size(), 1u);
  EXPECT_EQ(conf.entries[0].value, "ab");
  ASSERT_EQ(conf.problems.size(), 1u);
  EXPECT_EQ(conf.problems[0].text, "$NOPE is not set, taken as empty");
  EXPECT_EQ(conf.problems[0].line, 2);
  EXPECT_FALSE(conf.problems[0].ignored);
}

TEST(ConfFile, ForeignVariablesAreNotShown) {
  EXPECT_EQ(Parsed("K = $TOKEN # c").entries[0].shown, "$TOKEN");
  EXPECT_EQ(Parsed("K = \"x $TOKEN\"").entries[0].shown, "\"x $TOKEN\"");
  EXPECT_EQ(Parsed("K = \"$EPK_TITLE x\"").entries[0].shown, "mine x");
  EXPECT_EQ(Parsed("K = '$TOKEN'").entries[0].shown, "$TOKEN");
}

TEST(ConfFile, BrokenLinesAreSkippedAndNotRepeated) {
  const ConfText conf = Parsed("A=1\nsecret words\n= 3\n9X = 1\nA-B = 2\nZ = a\0b\nB=2\n"sv);
  ASSERT_EQ(conf.entries.size(), 2u);
  EXPECT_EQ(conf.entries[1].key, "B");
  ASSERT_EQ(conf.problems.size(), 5u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(conf.problems[i].text, "not of the form KEY = value");
  EXPECT_EQ(conf.problems[4].text, "holds a zero byte");
  EXPECT_EQ(conf.problems[4].line, 6);
}

TEST(ConfFile, NoLimitOnLength) {
  const std::string value(100'000, 'x');
  EXPECT_EQ(Value(value), value);
}

TEST(QuoteValue, ReadsBack) {
  EXPECT_EQ(QuoteValue("plain words"), "plain words");
  EXPECT_EQ(QuoteValue(""), "\"\"");
  EXPECT_EQ(QuoteValue("a#b"), "\"a#b\"");
  for (const char* value : {"",      " ",  " a",   "a ",   "a # b", "\"",      "'",   "it's", "\\", "\\n",
                            "$HOME", "${", "a\nb", "\r\n", "\t",    "tab\tin", "ünï", "#",    "=",  "\x01\x7f\xff"}) {
    EXPECT_EQ(Value(QuoteValue(value)), value);
  }
}

}  // namespace
}  // namespace epik::config
