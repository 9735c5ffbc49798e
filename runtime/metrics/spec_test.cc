// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/metrics/spec.h"

#include <gtest/gtest.h>

#include <set>

namespace epik::metrics {
namespace {

using Names = std::vector<std::string>;

Spec Parsed(const std::string& text, Names* problems) {
  Spec spec;
  ParseSpec(text, "f", &spec, problems);
  return spec;
}

std::string Expanded(const std::string& text, const Names& names, const std::set<std::string>& had) {
  Names problems;
  std::string out;
  for (const Asked& asked :
       Expand(Parsed(text, &problems), names, [&](const std::string& name) { return had.count(name) != 0; })) {
    out += asked.shown + "=" + asked.name + " ";
  }
  return out;
}

TEST(Spec, TheFirstThatCanBeHadHolds) {
  const std::string text =
      "measure CYC = PAPI_TOT_CYC # a comment\nmeasure CYC = perf::CYCLES\n"
      "aggroup G = CYC PAPI_X\naggroup G = CYC other\n";
  EXPECT_EQ(Expanded(text, {"CYC"}, {"PAPI_TOT_CYC", "perf::CYCLES"}), "CYC=PAPI_TOT_CYC ");
  EXPECT_EQ(Expanded(text, {"CYC"}, {"perf::CYCLES"}), "CYC=perf::CYCLES ");
  EXPECT_EQ(Expanded(text, {"CYC"}, {}), "CYC=PAPI_TOT_CYC ") << "and it is said that it cannot be had";
  EXPECT_EQ(Expanded(text, {"G", "CYC", "mine"}, {"perf::CYCLES", "other"}), "CYC=perf::CYCLES other=other mine=mine ");
}

TEST(Spec, WhatIsWrongIsSaid) {
  Names problems;
  const Spec spec = Parsed(
      "measure A = B C\nfoo A = B\nmeasure A\ncompose P = A B\ncompose P = A +\ncompute X = A -\n"
      "compute X = ( A\ncompute X = A ) + ( B\n\n# fine\ncompute X = ( A + B ) * 2\n",
      &problems);
  EXPECT_EQ(problems.size(), 8u);
  EXPECT_EQ(problems[1].find("f:2: "), 0u) << problems[1];
  EXPECT_EQ(spec.definitions.size(), 1u);
  // The resolution of a name that means itself in a circle ends.
  EXPECT_NE(Expanded("measure A = B\nmeasure B = A\n", {"A"}, {}), "");
}

TEST(Spec, FormulasHaveCountersAlone) {
  Names problems;
  const Spec spec =
      Parsed("compose M = L + S\ncompute H = M - MISS\ncompute R = MISS / M\ncompute Q = MISS / nobody\n", &problems);
  ASSERT_TRUE(problems.empty()) << problems[0];
  const auto all = Computable(spec, {"L", "S", "MISS"});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].words, (Names{"(", "L", "+", "S", ")", "-", "MISS"}));
  EXPECT_TRUE(Computable(spec, {"L", "MISS"}).empty());
}

TEST(Spec, PartsHaveAWholeThatIsThere) {
  Names problems;
  const Spec spec =
      Parsed("compose ALL = MEM + OTHER\ncompose MEM = L + S\ncompose LOOP = LOOP + L\ncompose D = X + X\n", &problems);
  ASSERT_TRUE(problems.empty()) << problems[0];
  EXPECT_EQ(WholeOf(spec, "L", {"L"}), "") << "half a sum is none";
  EXPECT_EQ(WholeOf(spec, "L", {"L", "S"}), "MEM");
  EXPECT_EQ(WholeOf(spec, "L", {"L", "MEM"}), "MEM") << "counted itself";
  EXPECT_EQ(WholeOf(spec, "MEM", {"L", "S", "ALL"}), "ALL");
  EXPECT_EQ(WholeOf(spec, "MEM", {"L", "S", "OTHER"}), "ALL");
  EXPECT_EQ(WholeOf(spec, "MEM", {"L", "S"}), "");
  EXPECT_EQ(WholeOf(spec, "ALL", {"ALL", "L"}), "");
  EXPECT_EQ(WholeOf(spec, "X", {"X"}), "") << "what counts twice is no part";
}

TEST(Spec, OursIsRight) {
  Names problems;
  const Spec spec = Parsed(kDefaultSpec, &problems);
  EXPECT_TRUE(problems.empty()) << problems[0];
  EXPECT_GT(spec.definitions.size(), 40u);
  EXPECT_EQ(Expanded(kDefaultSpec, {"BASIC"}, {"perf::CYCLES", "perf::INSTRUCTIONS"}),
            "CYCLES=perf::CYCLES INSTRUCTION=perf::INSTRUCTIONS ");
  EXPECT_EQ(WholeOf(spec, "STALL", {"STALL", "CYCLES"}), "CYCLES");
  EXPECT_EQ(WholeOf(spec, "MEMORY", {"INSTRUCTION", "LOAD", "STORE"}), "INSTRUCTION");
  EXPECT_EQ(WholeOf(spec, "BRANCH", {"BRANCH", "INTEGER", "LOAD", "STORE"}), "") << "there are other instructions";
}

}  // namespace
}  // namespace epik::metrics
