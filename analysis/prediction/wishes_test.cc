// SPDX-License-Identifier: BSD-3-Clause
// The text of users is understood, or refused with a line about the accepted form.
#include "analysis/prediction/wishes.h"

#include <gtest/gtest.h>

#include <set>

namespace epik::prediction {
namespace {

TEST(Faster, TakesFactorsAndPercents) {
  std::vector<Faster> faster;
  std::string error;
  ASSERT_TRUE(ParseFaster("solve:2x,assemble:30%,ns::f*:4x,gone:100%,same:0%,slow:0.5x", &faster, &error)) << error;
  ASSERT_EQ(faster.size(), 6u);
  EXPECT_EQ(faster[0].region, "solve");
  EXPECT_DOUBLE_EQ(faster[0].share, 0.5);
  EXPECT_DOUBLE_EQ(faster[1].share, 0.7);
  EXPECT_EQ(faster[2].region, "ns::f*");
  EXPECT_DOUBLE_EQ(faster[2].share, 0.25);
  EXPECT_DOUBLE_EQ(faster[3].share, 0);
  EXPECT_DOUBLE_EQ(faster[4].share, 1);
  EXPECT_DOUBLE_EQ(faster[5].share, 2);
}

TEST(Faster, TakesNamesWithCommas) {
  std::vector<Faster> faster;
  std::string error;
  ASSERT_TRUE(ParseFaster("void f<int, 2>(int, long):2x,solve:30%,g(a, b):4x", &faster, &error)) << error;
  ASSERT_EQ(faster.size(), 3u);
  EXPECT_EQ(faster[0].region, "void f<int, 2>(int, long)");
  EXPECT_EQ(faster[1].region, "solve");
  EXPECT_EQ(faster[2].region, "g(a, b)");
  EXPECT_DOUBLE_EQ(faster[2].share, 0.25);
}

TEST(Faster, RefusesWhatIsNone) {
  for (const char* text : {"", "solve", "solve:", "solve:2", "solve:0x", "solve:-2x", "solve:101%", ":2x", "solve:nanx",
                           "solve:infx", "a:2x,", "solve:2xx", "solve:x"}) {
    std::vector<Faster> faster;
    std::string error;
    EXPECT_FALSE(ParseFaster(text, &faster, &error)) << text;
    EXPECT_NE(error.find("REGION:2x"), std::string::npos) << text;
  }
}

// Returns the names, or the text that is not a name.
std::vector<std::string> NamesIn(const char* text) {
  const std::set<std::string> known = {"a", "b", "f<int", "f<int, 2>(int, long)", "g(a,b)", " 2>(int"};
  const auto is_name = [&](const std::string& name) { return name == "f<*" || known.contains(name); };
  std::vector<std::string> names;
  std::string unknown;
  if (!ParseNames(text, is_name, &names, &unknown)) return {"unknown", unknown};
  return names;
}

TEST(Names, MayHaveCommas) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(NamesIn(""), Names());
  EXPECT_EQ(NamesIn("a"), Names({"a"}));
  EXPECT_EQ(NamesIn("a,b"), Names({"a", "b"}));
  EXPECT_EQ(NamesIn("a,,b,"), Names({"a", "b"}));
  EXPECT_EQ(NamesIn("f<int, 2>(int, long)"), Names({"f<int, 2>(int, long)"}));
  EXPECT_EQ(NamesIn("a,f<int, 2>(int, long),g(a,b),f<*"), Names({"a", "f<int, 2>(int, long)", "g(a,b)", "f<*"}));
  EXPECT_EQ(NamesIn("f<int,a"), Names({"f<int", "a"}));
}

TEST(Names, TheFirstThatIsNoneIsNamed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(NamesIn("a,nobody,b"), Names({"unknown", "nobody"}));
  EXPECT_EQ(NamesIn("a,h(a,b),b"), Names({"unknown", "h(a,b)"}));
}

TEST(Network, TakesUnits) {
  NetworkWish network;
  std::string error;
  ASSERT_TRUE(ParseNetwork("latency:2us,bandwidth:10G", &network, &error)) << error;
  EXPECT_DOUBLE_EQ(network.Takes(0, 2), 2000);
  EXPECT_DOUBLE_EQ(network.Takes(1000000, 2), 2000 + 1e5);
  EXPECT_DOUBLE_EQ(network.Takes(0, 8), 6000);  // three levels of a tree
  EXPECT_DOUBLE_EQ(network.Takes(0, 9), 8000);
  NetworkWish ideal;
  ASSERT_TRUE(ParseNetwork("ideal", &ideal, &error));
  EXPECT_EQ(ideal.Takes(1 << 20, 64), 0);
  EXPECT_FALSE(ideal.CallsTakeTime());
}

TEST(Network, RefusesWhatIsNone) {
  for (const char* text : {"", "fast", "latency", "latency:2", "latency:2h", "bandwidth:0", "bandwidth:10X", "ideal,",
                           "latency:1e300s", "bandwidth:1e-300"}) {
    NetworkWish network;
    std::string error;
    EXPECT_FALSE(ParseNetwork(text, &network, &error)) << text;
    EXPECT_NE(error.find("latency:2us"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace epik::prediction
