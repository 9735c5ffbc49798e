// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/derived.h"

#include <gtest/gtest.h>

#include <map>

#include "archive/profile/absence.h"

namespace epik::analysis {
namespace {

std::optional<double> Value(std::string_view formula) {
  static const std::map<std::string, double, std::less<>> values = {
      {"A", 6}, {"B", 3}, {"perf::BRANCH-MISSES", 5}, {"zero", 0}};
  return Evaluate(formula, [](std::string_view name) -> std::optional<double> {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional(at->second);
  });
}

TEST(Derived, Formulas) {
  EXPECT_EQ(Value("A"), 6);
  EXPECT_EQ(Value("A + B * 2"), 12);
  EXPECT_EQ(Value("( A + B ) * 2"), 18);
  EXPECT_EQ(Value("A - B - 1"), 2);
  EXPECT_EQ(Value("A / B / 2"), 1);
  EXPECT_EQ(Value("perf::BRANCH-MISSES - A"), -1) << "a dash within a name is part of it";
  EXPECT_EQ(Value("(A+B)*64/0.5"), 1152);
}

TEST(Derived, NothingIsNoZero) {
  EXPECT_EQ(Value("A / zero"), std::nullopt);
  EXPECT_EQ(Value("A + unknown"), std::nullopt);
  for (const char* bad : {"", "A +", "( A", "A )", "A B", "- A", "1x", "A * * B"}) {
    EXPECT_EQ(Value(bad), std::nullopt) << bad;
    std::vector<std::string> names;
    EXPECT_FALSE(NamesIn(bad, &names)) << bad;
  }
  EXPECT_EQ(Value(std::string(1000, '(') + "A" + std::string(1000, ')')), std::nullopt) << "too deep";
}

archive::Profile With(const std::vector<std::pair<std::string, std::string>>& metrics) {
  archive::Profile profile;
  profile.call_paths.push_back({});
  profile.locations.push_back({});
  for (const auto& [name, text] : metrics) {
    const uint32_t metric = profile.AddMetric({name, name, "occ", text});
    if (!archive::SaysMissing(text)) profile.values[metric].Set(0, 0, 1.0);
  }
  return profile;
}

TEST(Derived, OfWhatThereIs) {
  EXPECT_TRUE(DerivedOf(With({{"perf::INSTRUCTIONS", ""}})).empty());
  EXPECT_TRUE(DerivedOf(With({{"perf::INSTRUCTIONS", ""}, {"perf::CYCLES", "n/a: no PMU"}})).empty());
  const auto both = DerivedOf(With({{"perf::INSTRUCTIONS", ""}, {"perf::CYCLES", ""}}));
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].name, "instructions per cycle");
  const auto own =
      DerivedOf(With({{"A", ""}, {"B", ""}, {"X", "computed: A / B; part of W"}, {"Y", "computed: A / C"}}));
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].formula, "A / B");
}

}  // namespace
}  // namespace epik::analysis
