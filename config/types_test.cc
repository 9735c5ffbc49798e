// SPDX-License-Identifier: BSD-3-Clause
#include "config/types.h"

#include <gtest/gtest.h>

namespace epik::config {

enum class Fruit { kApple, kPear };
constexpr const char* WordsOf(Fruit) { return "apple pear"; }

namespace {

// Parses a text and formats the value again; "refused" if Parse refuses it.
template <class T>
std::string Through(const T& type, std::string_view text) {
  typename T::Value value{}, again{};
  if (!type.Parse(text, &value)) return "refused";
  const std::string out = type.Format(value);
  if (!out.empty()) {
    EXPECT_TRUE(type.Parse(out, &again)) << out;
    EXPECT_TRUE(value == again) << text << " -> " << out;
  }
  return out;
}

TEST(Types, Bool) {
  for (const char* text : {"yes", "YES", "true", "True", "on", "1", " on "}) EXPECT_EQ(Through(Bool(), text), "yes");
  for (const char* text : {"no", "NO", "false", "False", "off", "0"}) EXPECT_EQ(Through(Bool(), text), "no");
  for (const char* text : {"", "2", "-1", "y", "maybe", "yes no", "01"}) EXPECT_EQ(Through(Bool(), text), "refused");
}

TEST(Types, IntegerWithBoundsAndWords) {
  constexpr Integer kLevel{0, 9, {{"u", 0}}};
  EXPECT_EQ(Through(kLevel, "0"), "0");
  EXPECT_EQ(Through(kLevel, " 9 "), "9");
  EXPECT_EQ(Through(kLevel, "U"), "0");
  for (const char* text : {"", "10", "-1", "6.0", "six", "6x"}) EXPECT_EQ(Through(kLevel, text), "refused") << text;
  EXPECT_EQ(kLevel.Accepted(), "0 to 9, u");

  constexpr Integer kLimit{1, 100, {{"unlimited", kUnlimited}}};
  EXPECT_EQ(Through(kLimit, "Unlimited"), "unlimited");
  EXPECT_EQ(Through(kLimit, "0"), "refused");
  EXPECT_EQ((Integer{1, kUnlimited - 1}).Accepted(), "1 or more");
}

TEST(Types, Level) {
  EXPECT_EQ(Through(Level{3}, "yes"), "1");
  EXPECT_EQ(Through(Level{3}, "off"), "0");
  EXPECT_EQ(Through(Level{3}, "3"), "3");
  EXPECT_EQ(Through(Level{3}, "4"), "refused");
}

TEST(Types, SizeHasALeast) {
  EXPECT_EQ(Through(Size{4096}, "4k"), "4k");
  EXPECT_EQ(Through(Size{4096}, "4095"), "refused");
  EXPECT_EQ(Through(Size{4096}, "16MB"), "15625k");
}

TEST(Types, Percent) {
  EXPECT_EQ(Through(Percent(), "5%"), "5%");
  EXPECT_EQ(Through(Percent(), "5"), "5%");
  EXPECT_EQ(Through(Percent(), "2.50 %"), "2.5%");
  EXPECT_EQ(Through(Percent(), "0.1"), "0.1%");
  EXPECT_EQ(Through(Percent(), "0.000000001%"), "0.000000001%");
  EXPECT_EQ(Through(Percent(), "100%"), "100%");
  EXPECT_EQ(Through(Percent(), "off"), "off");
  EXPECT_EQ(Through(Percent(), "0%"), "off");
  for (const char* text : {"", "%", "-1%", "100.1%", "101", "5%%", "5p", "1e1"}) {
    EXPECT_EQ(Through(Percent(), text), "refused") << text;
  }
}

TEST(Types, Title) {
  EXPECT_EQ(Through(Title(), "run 7.a"), "run 7.a");
  EXPECT_EQ(Through(Title(), "a/b"), "refused");
  EXPECT_EQ(Through(Title(), "a\nb"), "refused");
}

TEST(Types, PathAndTextAsTheyStand) {
  EXPECT_EQ(Through(Path(), " /a b/# "), " /a b/# ");
  EXPECT_EQ(Through(Text(), "\"x\""), "\"x\"");
}

using Words = std::vector<std::string>;

Words ListOf(std::string_view text) {
  Words words;
  EXPECT_TRUE(List().Parse(text, &words));
  return words;
}

TEST(Types, List) {
  EXPECT_EQ(ListOf("a,b"), (Words{"a", "b"}));
  EXPECT_EQ(ListOf("a:b"), (Words{"a", "b"}));
  EXPECT_EQ(ListOf(" a , , b,"), (Words{"a", "b"}));
  EXPECT_EQ(ListOf(""), Words());
  EXPECT_EQ(ListOf("perf::CYCLES:PAPI_TOT_INS"), (Words{"perf::CYCLES", "PAPI_TOT_INS"}));
  EXPECT_EQ(ListOf("skx::UOPS:e=1,b"), (Words{"skx::UOPS:e=1", "b"}));
  EXPECT_EQ(ListOf("skx::UOPS\\:e=1"), (Words{"skx::UOPS:e=1"}));
  EXPECT_EQ(ListOf("a\\,b"), (Words{"a,b"}));
  EXPECT_EQ(ListOf("c:\\dir\\\\x"), (Words{"c", "\\dir\\x"}));
}

TEST(Types, ListReadsBackWhatItWrites) {
  EXPECT_EQ(Through(List(), "a:b"), "a,b");
  EXPECT_EQ(Through(List(), "a\\:b"), "a\\:b");
  for (const char* text : {"a\\,b", "a\\,b:c", "a::b", ":::a", "x\\::y", "\\\\", "\\,\\:", "\\:\\:", "a\\ b", "a\\"}) {
    Through(List(), text);
  }
}

TEST(Types, Groups) {
  constexpr Groups kType{"CG COLL P2P | XREQ", "CG P2P"};
  EXPECT_EQ(Through(kType, "p2p:CG"), "CG:P2P");  // in the order of the table
  EXPECT_EQ(Through(kType, "P2P,P2P"), "P2P");
  EXPECT_EQ(Through(kType, "all"), "ALL");
  EXPECT_EQ(Through(kType, "ALL,XREQ"), "CG:COLL:P2P:XREQ");
  EXPECT_EQ(Through(kType, "Default:COLL"), "ALL");
  EXPECT_EQ(Through(kType, "Default"), "CG:P2P");
  EXPECT_EQ(Through(kType, "none"), "NONE");
  for (const char* text : {"", "CG:NOPE", "none,CG", "|", "CG,|", ":"}) EXPECT_EQ(Through(kType, text), "refused");
}

TEST(Types, Choice) {
  EXPECT_EQ(Through(Choice<Fruit>(), "PEAR"), "pear");
  EXPECT_EQ(Through(Choice<Fruit>(), "plum"), "refused");
  EXPECT_EQ(Through(Choice<Fruit>(), ""), "refused");
  EXPECT_EQ(Choice<Fruit>().Accepted(), "apple, pear");
  Fruit fruit{};
  EXPECT_TRUE(Choice<Fruit>().Parse("pear", &fruit));
  EXPECT_EQ(fruit, Fruit::kPear);
}

}  // namespace
}  // namespace epik::config
