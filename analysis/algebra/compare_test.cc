// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/algebra/algebra_samples.h"
#include "analysis/algebra/condition.h"
#include "analysis/algebra/names.h"

namespace epik::algebra {
namespace {

using archive::ExampleProfile;
using archive::kNone;
using archive::Profile;

// ExampleProfile, where solve has another exclusive time at the first location.
Profile WithSolve(double more) {
  Profile profile = ExampleProfile();
  for (const uint32_t p : {0u, 1u}) profile.values[0].Set(p, 0, profile.values[0].Real(p, 0) + more);
  return profile;
}

Runs MakeRuns(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<Operand> sides[2];
  for (const double more : before) sides[0].push_back(FromProfile(WithSolve(more)));
  for (const double more : after) sides[1].push_back(FromProfile(WithSolve(more)));
  return {sides[0], sides[1]};
}

Comparison CompareTime(Runs* runs) {
  Comparison comparison;
  std::string error;
  EXPECT_TRUE(Compare(runs, "time", 0.1, false, &comparison, &error)) << error;
  return comparison;
}

TEST(Names, AMetricIsFoundByItsNameInFormulas) {
  Profile profile;
  const uint32_t m = profile.AddMetric(
      {"perf::PAGE-FAULTS", "perf::PAGE-FAULTS", "#", "", archive::Type::kUint64, archive::Along::kExclusive, kNone});
  std::string error;
  EXPECT_EQ(ChooseMetric(profile, "perf::PAGE-FAULTS", &error), m);
  EXPECT_EQ(ChooseMetric(profile, "perf_PAGE_FAULTS", &error), m);
  EXPECT_EQ(ChooseMetric(profile, "perf_page_faults", &error), kNone);
}

TEST(Compare, FiguresOfTheExample) {
  Runs runs = MakeRuns({0}, {10});
  const Comparison comparison = CompareTime(&runs);
  EXPECT_EQ(comparison.total.before.mean, 406);
  EXPECT_EQ(comparison.total.Difference(), 10);
  EXPECT_FALSE(comparison.has_noise);
  ASSERT_EQ(comparison.paths.size(), 4u);
  EXPECT_EQ(comparison.paths[0].own.Difference(), 0);
  EXPECT_EQ(comparison.paths[0].whole.Difference(), 10);
  EXPECT_EQ(comparison.paths[1].own.before.mean, 166 - 38);
  EXPECT_EQ(comparison.paths[1].own.Difference(), 10);
  EXPECT_EQ(comparison.paths[2].visits.after.mean, 10000);
}

TEST(Compare, NoiseIsNotSignificantAndChangeIs) {
  Runs noisy = MakeRuns({0, 8, 3}, {7, 1, 5});
  for (const PathChange& change : CompareTime(&noisy).paths) EXPECT_FALSE(change.significant);
  Runs slower = MakeRuns({0, 1, 2}, {50, 51, 52});
  const Comparison comparison = CompareTime(&slower);
  EXPECT_TRUE(comparison.has_noise);
  EXPECT_TRUE(comparison.paths[1].significant);
  EXPECT_FALSE(comparison.paths[2].significant);
}

TEST(Compare, RecursionCountsOnce) {
  Profile a = ExampleProfile();
  a.call_paths = {{0, kNone}, {1, 0}, {1, 1}, {3, 0}};  // solve calls itself
  Runs runs({FromProfile(a)}, {FromProfile(a)});
  std::string error;
  ASSERT_TRUE(runs.Load(0, &error));
  EXPECT_EQ(runs.OfRegions(0, {false, true, false, false}).before.mean, 166);
}

TEST(Compare, MinimaAreNotAddedUp) {
  Profile a = ExampleProfile();
  const uint32_t m = a.AddMetric({"min_time", "", "sec", "", archive::Type::kMin, archive::Along::kExclusive, kNone});
  a.values[m].Set(1, 0, 3.0);
  a.values[m].Set(1, 1, 2.0);
  a.values[m].Set(2, 1, 0.5);
  Runs runs({FromProfile(a)}, {FromProfile(a)});
  std::string error;
  ASSERT_TRUE(runs.Load(m, &error));
  EXPECT_EQ(runs.Own(m, 1).before.mean, 2);
  EXPECT_EQ(runs.Whole(m, 1).before.mean, 0.5);
  EXPECT_EQ(runs.Own(m, 3).before.mean, 0);
}

TEST(Compare, WallTimeIsThatOfTheLongestLocationOrOfTheManifest) {
  Runs runs = MakeRuns({0}, {10});
  const Comparison comparison = CompareTime(&runs);
  const Profile example = ExampleProfile();
  double most = 0;
  for (uint32_t l = 0; l < example.locations.size(); ++l) {
    double sum = 0;
    for (const double value : example.Exclusive(0, l)) sum += value;
    most = std::max(most, sum);
  }
  EXPECT_EQ(comparison.wall.before.mean, most);
  Runs told = MakeRuns({0, 0}, {10});
  told.SetWalls({3, 5, 8});
  const Comparison with = CompareTime(&told);
  EXPECT_EQ(with.wall.before.mean, 4);
  EXPECT_EQ(with.wall.Difference(), 4);
  Comparison wall;
  std::string error;
  ASSERT_TRUE(Compare(&told, kWall, 0.1, false, &wall, &error));
  EXPECT_EQ(wall.total.Difference(), 4);
  EXPECT_TRUE(wall.paths.empty());
}

TEST(Compare, InclusiveFiguresAreTestedWhereTheyAreListed) {
  Runs runs = MakeRuns({0, 1, 2}, {50, 51, 52});
  Comparison comparison;
  std::string error;
  ASSERT_TRUE(Compare(&runs, "time", 0.1, true, &comparison, &error));
  EXPECT_TRUE(comparison.paths[0].significant);  // main, because of its callees
  EXPECT_EQ(comparison.paths[0].probability, comparison.paths[0].whole.Probability());
  EXPECT_FALSE(CompareTime(&runs).paths[0].significant);
}

TEST(Compare, SizesOfRuns) {
  Profile small = ExampleProfile();
  EXPECT_TRUE(Runs({FromProfile(small)}, {FromProfile(small)}).SameSize());
  small.locations.pop_back();
  small.values.clear();
  const Runs runs({FromProfile(ExampleProfile())}, {FromProfile(small)});
  EXPECT_FALSE(runs.SameSize());
  EXPECT_EQ(runs.SizeOf(0).threads, runs.SizeOf(1).threads + 1);
}

Condition Parsed(const std::string& text) {
  Condition condition;
  std::string error;
  EXPECT_TRUE(ParseCondition(text, &condition, &error)) << error;
  return condition;
}

TEST(Condition, Grammar) {
  const Condition plain = Parsed("time:solve > 5%");
  EXPECT_EQ(plain.metric, "time");
  EXPECT_EQ(plain.region, "solve");
  EXPECT_TRUE(plain.percent);
  EXPECT_EQ(plain.limit, 5);
  const Condition hard = Parsed("bytes_sent:ns::operator<<(A<int>, b::C)<=-1e3");
  EXPECT_EQ(hard.region, "ns::operator<<(A<int>, b::C)");
  EXPECT_EQ(hard.sign, Condition::Sign::kAtMost);
  EXPECT_EQ(hard.limit, -1000);
  EXPECT_EQ(Parsed("time>20ms").limit, 0.02);
  EXPECT_EQ(Parsed("time >= +3 %").sign, Condition::Sign::kAtLeast);
}

TEST(Condition, CountersHaveColonsInTheirNames) {
  EXPECT_EQ(Parsed("io::bytes_read > 5%").metric, "io::bytes_read");
  EXPECT_EQ(Parsed("io::bytes_read > 5%").region, "");
  EXPECT_EQ(Parsed("sde:::walker::steps > 0").metric, "sde:::walker::steps");
  EXPECT_EQ(Parsed("sde:::walker::steps:walk > 0").region, "walk");
  const Condition both = Parsed("perf::PAGE-FAULTS:ns::solve > 5%");
  EXPECT_EQ(both.metric, "perf::PAGE-FAULTS");
  EXPECT_EQ(both.region, "ns::solve");
}

TEST(Condition, SaysWhatIsWrong) {
  Condition condition;
  std::string error;
  for (const char* text : {"time:solve 5%", "time:solve > five", "time:solve > 5 apples", ":solve > 5", "time: > 5",
                           "time:solve > inf", "> 5", ""}) {
    error.clear();
    EXPECT_FALSE(ParseCondition(text, &condition, &error)) << text;
    EXPECT_NE(error.find("'time:solve > 5%'"), std::string::npos) << error;
  }
}

Outcome Evaluated(const std::string& text, Runs runs) {
  Outcome outcome;
  std::string error;
  EXPECT_TRUE(Evaluate(Parsed(text), &runs, &outcome, &error)) << error;
  return outcome;
}

TEST(Condition, FiresBeyondTheLimit) {
  // solve and its callees take 166 s.
  EXPECT_TRUE(Evaluated("time:solve > 5%", MakeRuns({0}, {10})).fired);
  EXPECT_FALSE(Evaluated("time:solve > 7%", MakeRuns({0}, {10})).fired);
  EXPECT_TRUE(Evaluated("time:solve >= 10", MakeRuns({0}, {10})).fired);
  EXPECT_FALSE(Evaluated("time:solve > 10s", MakeRuns({0}, {10})).fired);
  EXPECT_TRUE(Evaluated("time > 2%", MakeRuns({0}, {10})).fired);
  EXPECT_TRUE(Evaluated("time:s* < -5%", MakeRuns({10}, {0})).fired);
  EXPECT_FALSE(Evaluated("visits:solve > 0", MakeRuns({0}, {10})).fired);
}

TEST(Condition, NoiseDoesNotFire) {
  const Outcome outcome = Evaluated("time:solve > 1%", MakeRuns({0, 20, 4}, {9, 1, 30}));
  EXPECT_FALSE(outcome.fired);
  EXPECT_TRUE(outcome.within_noise);
  EXPECT_TRUE(Evaluated("time:solve > 1%", MakeRuns({0, 1, 2}, {9, 10, 11})).fired);
}

TEST(Condition, UnknownNamesAreRefused) {
  const Runs runs = MakeRuns({0}, {1});
  std::string error;
  EXPECT_FALSE(CheckNames(Parsed("time:solev > 1"), runs, &error));
  EXPECT_EQ(error, "'time:solev > 1': no region is called 'solev'; did you mean solve?");
  EXPECT_FALSE(CheckNames(Parsed("tim:solve > 1"), runs, &error));
  EXPECT_FALSE(CheckNames(Parsed("visits:solve > 1ms"), runs, &error));
  EXPECT_EQ(error, "'visits:solve > 1ms': metric visits is no time, but the limit is in ms");
  EXPECT_FALSE(CheckNames(Parsed("wall:solve > 1ms"), runs, &error));
  EXPECT_TRUE(CheckNames(Parsed("wall > 1ms"), runs, &error));
  EXPECT_TRUE(CheckNames(Parsed("time:s* > 1ms"), runs, &error));
}

TEST(Compare, AValueThatIsNoNumberIsNoZero) {
  const double infinity = std::numeric_limits<double>::infinity(), none = std::nan("");
  for (const double value : {none, infinity, -infinity}) {
    Profile a = ExampleProfile(), b = ExampleProfile();
    const uint32_t energy = a.FindMetric("energy");
    a.values[energy].Set(1, 0, 1.5);
    b.values[energy].Set(1, 0, value);
    Runs runs({FromProfile(a)}, {FromProfile(b)});
    std::string error;
    ASSERT_TRUE(runs.Load(energy, &error)) << error;
    EXPECT_EQ(runs.Total(energy).unknown, 1u) << value;
    EXPECT_EQ(runs.Total(energy).after.n, 0u) << value;
    EXPECT_EQ(runs.Own(energy, 1).unknown, 1u) << value;
    EXPECT_EQ(runs.Whole(energy, 0).unknown, 1u) << value;
    EXPECT_EQ(runs.Own(energy, 2).unknown, 0u) << value;
    EXPECT_EQ(Evaluated("energy > 5%", runs).change.unknown, 1u) << value;
    EXPECT_EQ(Evaluated("time > 5%", runs).change.unknown, 0u) << value;
  }
}

TEST(Condition, WallTime) {
  Runs runs = MakeRuns({0}, {10});
  runs.SetWalls({2, 3});
  EXPECT_TRUE(Evaluated("wall > 20%", runs).fired);
  EXPECT_TRUE(Evaluated("wall >= 1s", runs).fired);
  EXPECT_FALSE(Evaluated("wall > 60%", runs).fired);
}

}  // namespace
}  // namespace epik::algebra
