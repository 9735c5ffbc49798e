// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/score.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/reduce.h"
#include "config/words.h"

namespace epik::analysis {
namespace {

using archive::kNone;
using archive::Profile;

// program > main > { solve > { tiny, MPI_Send }, tiny, fib > fib > fib } on two processes.
class Program {
 public:
  Program() {
    profile.processes = {{0, 0, ""}, {0, 1, ""}};
    profile.locations = {{0, 0, ""}, {1, 0, ""}};
    const uint32_t program = Region("program", "measurement", "artificial"), main = Region("main"),
                   solve = Region("solve(int)"), tiny = Region("tiny"), send = Region("MPI_Send", "mpi"),
                   fib = Region("fib");
    const std::vector<archive::CallPath> paths = {{program, kNone}, {main, 0}, {solve, 1}, {tiny, 2}, {send, 2},
                                                  {tiny, 1},        {fib, 1},  {fib, 6},   {fib, 7}};
    profile.call_paths = paths;
    archive::Metric time;
    time.unique_name = "time";
    time.along = archive::Along::kInclusive;
    time_ = profile.AddMetric(time);
    archive::Metric visits;
    visits.unique_name = "visits";
    visits.type = archive::Type::kUint64;
    visits_ = profile.AddMetric(visits);
    const double seconds[] = {10, 10, 6, 2, 1, 1, 2, 1.5, 0.5};
    const uint64_t counts[] = {1, 1, 100, 2'000'000, 50, 1'000'000, 1, 1, 4};
    for (uint32_t path = 0; path < paths.size(); ++path) {
      for (uint32_t l = 0; l < 2; ++l) {
        profile.values[time_].Set(path, l, seconds[path] / (l + 1));
        profile.values[visits_].Set(path, l, counts[path] / (l + 1));
      }
    }
  }

  uint32_t Region(const std::string& name, const std::string& paradigm = "compiler",
                  const std::string& role = "function") {
    archive::Region region;
    region.name = name;
    region.paradigm = paradigm;
    region.role = role;
    profile.regions.push_back(region);
    return static_cast<uint32_t>(profile.regions.size() - 1);
  }

  std::vector<std::string> Names(const std::vector<uint32_t>& by) const {
    std::vector<std::string> names;
    for (size_t r = 0; r < by.size(); ++r) {
      if (by[r] != kNone) names.push_back(profile.regions[r].name);
    }
    return names;
  }
  std::vector<std::string> Reduced(const std::string& rules) const {
    std::vector<config::FilterProblem> problems;
    const auto parsed = ParseRules(rules, &problems);
    EXPECT_TRUE(problems.empty()) << problems[0].text;
    return Names(ApplyRules(profile, CostsOf(profile), parsed));
  }

  Profile profile;

 private:
  uint32_t time_ = 0, visits_ = 0;
};

constexpr Prices kPrices = {100, 40, 2.5e9};

TEST(Score, CostsByRegion) {
  const Program p;
  const std::vector<RegionCosts> costs = CostsOf(p.profile);
  EXPECT_EQ(costs[1].cost_class, CostClass::kCom);
  EXPECT_EQ(costs[2].cost_class, CostClass::kCom);
  EXPECT_EQ(costs[3].cost_class, CostClass::kUsr);
  EXPECT_EQ(costs[4].cost_class, CostClass::kMpi);
  EXPECT_EQ(costs[0].cost_class, CostClass::kOther);
  const Cost tiny = costs[3].at[0];
  EXPECT_EQ(tiny.visits, 3'000'000U);
  EXPECT_DOUBLE_EQ(tiny.own, 3);
  EXPECT_DOUBLE_EQ(tiny.inclusive, 3);
  const Cost fib = costs[5].at[0];
  EXPECT_EQ(fib.visits, 6U);
  EXPECT_DOUBLE_EQ(fib.inclusive, 2) << "inner calls of a recursion are within the outer ones";
  EXPECT_DOUBLE_EQ(fib.own, 2);
  EXPECT_EQ(costs[2].at[0].calls, 2'000'050U);
}

TEST(Score, TimeOfWhatIsFilteredGoesToItsCaller) {
  const Program p;
  const auto costs = CostsOf(p.profile);
  const Score full = ScoreOf(p.profile, costs, kPrices, {});
  EXPECT_DOUBLE_EQ(full.all.seconds, 15);
  EXPECT_DOUBLE_EQ(full.all.overhead, static_cast<double>(full.all.visits) * 100e-9);
  const auto row = [](const Score& score, CostClass c) { return score.classes[static_cast<size_t>(c)]; };
  EXPECT_DOUBLE_EQ(row(full, CostClass::kUsr).seconds, 7.5);
  std::vector<config::FilterProblem> problems;
  const auto excluded = Excluded(p.profile, config::Filter::Parse("tiny\n", &problems), nullptr);
  EXPECT_EQ(excluded, (std::vector<bool>{false, false, false, true, false, false}));
  const Score less = ScoreOf(p.profile, costs, kPrices, excluded);
  EXPECT_DOUBLE_EQ(less.all.seconds, 15);
  EXPECT_DOUBLE_EQ(row(less, CostClass::kUsr).seconds, 3);
  EXPECT_DOUBLE_EQ(row(less, CostClass::kCom).seconds, row(full, CostClass::kCom).seconds + 4.5);
  EXPECT_EQ(full.all.visits - less.all.visits, 4'500'000U);
  // The first process has twice the visits of the second.
  EXPECT_NEAR(full.all.largest / full.all.bytes, 2.0 / 3, 0.12);
}

TEST(Score, TracesOfMoreEventsAreLarger) {
  const Program p;
  const auto costs = CostsOf(p.profile);
  const Score full = ScoreOf(p.profile, costs, kPrices, {});
  // Between a bit and four bytes an event; at least a word of memory for a whole call.
  const auto events = static_cast<double>(2 * full.all.visits);
  EXPECT_GT(full.all.bytes, events / 8);
  EXPECT_LT(full.all.bytes, 4 * events);
  EXPECT_GT(full.buffer, events * 2 / 3 * 4);
  EXPECT_LT(full.buffer, events * 2 / 3 * 16);
  double sum = 0;
  for (const double bytes : full.of_region) sum += bytes;
  EXPECT_NEAR(sum, full.all.bytes, 1e-6 * sum);
  std::vector<bool> all_but_main(p.profile.regions.size(), true);
  all_but_main[0] = all_but_main[1] = false;
  const Score less = ScoreOf(p.profile, costs, kPrices, all_but_main);
  EXPECT_LT(less.all.bytes, full.all.bytes / 1000);
  EXPECT_LT(less.buffer, full.buffer / 1000);
}

// The lengths of calls of one function, in seconds.
struct Lengths {
  double sum, least, most, squares;
  double caller = -1;  // own time of the caller; -1: that of the program
};
constexpr double kTinyVisits = 2'000'000;

// The trace bytes of a function with so many visits.
double BytesOfTinyCalls(const Lengths& lengths, const Prices& prices) {
  Program made;
  constexpr uint32_t kTiny = 3;
  const auto add = [&](const char* name, double value) {
    archive::Metric metric;
    metric.unique_name = name;
    made.profile.values[made.profile.AddMetric(metric)].Set(kTiny, 0, value);
  };
  archive::Values& time = made.profile.values[made.profile.FindMetric("time")];
  time.Set(kTiny, 0, lengths.sum);
  if (lengths.caller >= 0) {
    // The caller does little else. Nobody else calls the function.
    constexpr uint32_t kCaller = 2, kSend = 4, kOfMain = 5;
    archive::Values& visits = made.profile.values[made.profile.FindMetric("visits")];
    time.Set(kCaller, 0, lengths.sum + time.Real(kSend, 0) + lengths.caller);
    visits.Set(kOfMain, 0, uint64_t{0});
    for (const uint32_t path : {kTiny, kOfMain}) visits.Set(path, 1, uint64_t{0});
  }
  add("min_time", lengths.least);
  add("max_time", lengths.most);
  add("time_squares", lengths.squares);
  return ScoreOf(made.profile, CostsOf(made.profile), prices, {}).of_region[kTiny];
}

// The trace bytes of a function that takes about 13 ns on a quiet machine, or one with a few visits that were
// interrupted for long.
double BytesOfInterruptedCalls(double seconds_of_interrupts, double longest) {
  constexpr double kMean = 12.7e-9, kLeast = 9.6e-9, kSpread = 1e-9;
  return BytesOfTinyCalls({kTinyVisits * kMean + seconds_of_interrupts, kLeast, longest,
                           kTinyVisits * (kMean * kMean + kSpread * kSpread) + seconds_of_interrupts * longest},
                          kPrices);
}

TEST(Score, InterruptsSayNothingOfTheOtherCalls) {
  const double quiet = BytesOfInterruptedCalls(0, 30e-9);
  EXPECT_GT(quiet, 0);
  EXPECT_NEAR(BytesOfInterruptedCalls(2e-3, 200e-6), quiet, 0.4 * quiet);
  EXPECT_NEAR(BytesOfInterruptedCalls(4e-3, 4e-3), quiet, 0.4 * quiet);
}

// The timer counts in steps of 26 ticks, because its crystal has 99.85 MHz in place of 100: nearly all calls take one
// step. If the longest call is no multiple of a step, the timer counts single ticks, and calls differ in length.
TEST(Score, ATimerWithStepsMakesSmallTraces) {
  constexpr double kTick = 1 / 2.596e9, kMean = 25.3 * kTick;
  constexpr Prices kSteps = {19, 10, 2.596e9};
  const auto bytes = [&](double longest_ticks) {
    const double longest = longest_ticks * kTick;
    return BytesOfTinyCalls(
        {kTinyVisits * kMean, kTick, longest, kTinyVisits * kMean * kMean + longest * longest, kTinyVisits * kMean},
        kSteps);
  };
  EXPECT_LT(bytes(26 * 5697), bytes(26 * 5697 + 13) / 2);
}

// Half of the time, other programs had the processors.
TEST(Score, TimesWithoutAProcessorNeedNoBytes) {
  const Lengths quiet = {kTinyVisits * 12e-9, 9e-9, 30e-9, kTinyVisits * 145e-18, kTinyVisits * 12e-9};
  const Lengths busy = {2 * quiet.sum, 9e-9, 12e-3, quiet.squares + quiet.sum * 12e-3, 2 * quiet.caller};
  Prices prices = {19, 10, 2.5e9};
  const double alone = BytesOfTinyCalls(quiet, prices), unaware = BytesOfTinyCalls(busy, prices);
  prices.queued_share = 0.5;
  const double aware = BytesOfTinyCalls(busy, prices);
  EXPECT_LT(aware, unaware / 1.5);
  EXPECT_LT(aware, 1.1 * alone);
  EXPECT_GT(aware, alone / 4);
}

TEST(Score, WhatIsSampledOrDroppedCostsLess) {
  Cost cost;
  cost.visits = 1000;
  cost.untimed = 900;
  cost.dropped = 50;
  EXPECT_DOUBLE_EQ(OverheadOf(cost, {20, 8, 0}), (100 * 20 + 950 * 8) * 1e-9);
}

TEST(Score, APriceThatTheRunMeasuredIsTaken) {
  Cost cost;
  cost.visits = 1000;
  cost.untimed = 100;
  cost.probed = 600;
  cost.probed_cost = 3e-6;
  EXPECT_DOUBLE_EQ(OverheadOf(cost, {20, 8, 0}), 3e-6 + (300 * 20 + 100 * 8) * 1e-9);
}

TEST(Score, SuggestionMeetsTheBudgetAndLosesLittle) {
  const Program p;
  const auto costs = CostsOf(p.profile);
  const Suggestion some = Suggest(costs, kPrices, 0.02);
  ASSERT_EQ(some.regions.size(), 1U);
  EXPECT_EQ(p.profile.regions[some.regions[0]].name, "tiny");
  EXPECT_TRUE(some.met);
  EXPECT_LE(some.overhead, 0.02);
  EXPECT_TRUE(Suggest(costs, kPrices, 0.5).regions.empty()) << "nothing need go";
}

// Regions without cost and without loss have no place in an order of loss by cost.
TEST(Score, RegionsThatCostNothingStay) {
  std::vector<RegionCosts> costs(60);
  for (size_t r = 0; r < costs.size(); ++r) {
    costs[r].cost_class = CostClass::kUsr;
    costs[r].at.resize(1);
    Cost& cost = costs[r].at[0];
    cost.is_function = true;
    cost.visits = cost.probed = 10;
    cost.probed_cost = r % 3 == 0 ? 0 : 1e-3;
    cost.own = cost.probed_cost + (r % 3 == 2 ? 1.0 + static_cast<double>(r) : 0);
  }
  Prices prices = kPrices;
  prices.program_seconds = 1;
  const Suggestion some = Suggest(costs, prices, 20.5e-3);
  EXPECT_TRUE(some.met);
  EXPECT_EQ(some.regions.size(), 20U);
  for (const uint32_t region : some.regions) EXPECT_EQ(region % 3, 1U) << "those lose nothing";
}

// Waiting is no reason to measure more: only the computation of the program counts.
TEST(Score, ABudgetIsAShareOfComputation) {
  const Program p;
  const auto costs = CostsOf(p.profile);
  Prices prices = kPrices;
  prices.program_seconds = 0.01;
  const Suggestion strict = Suggest(costs, prices, 0.5);
  EXPECT_FALSE(strict.regions.empty()) << "of the time with its waiting nothing need go";
  EXPECT_EQ(p.profile.regions[strict.regions[0]].name, "tiny");
}

// In a run whose whole CPU time went into measuring, the rest for the program is small, but not unknown.
TEST(Score, ACostThatIsAllOfTheTimeIsABudgetExceeded) {
  const Program p;
  const auto costs = CostsOf(p.profile);
  archive::Manifest manifest;
  manifest.pair_cost_ns = kPrices.pair_ns;
  manifest.cpu_seconds = 0.01;
  manifest.cpu_without_seconds = 0;
  const Suggestion strict = Suggest(costs, PricesOf(manifest, costs), 0.5);
  EXPECT_FALSE(strict.regions.empty());
}

TEST(Score, PatternsStandForOneName) {
  for (const std::string name : {"vec<char*>::operator[](int)", "f", "a\\b", "what?"}) {
    EXPECT_TRUE(config::GlobMatches(AsPattern(name), name));
    EXPECT_FALSE(config::GlobMatches(AsPattern(name), name + "x"));
  }
  EXPECT_FALSE(config::GlobMatches(AsPattern("f*"), "fx"));
  // The rest of such a name would be a rule of its own.
  EXPECT_EQ(AsPattern("f\nEXCLUDE REGION *"), "f?EXCLUDE REGION \\*");
  EXPECT_TRUE(config::GlobMatches(AsPattern("f\ng"), "f\ng"));
}

TEST(Reduce, RuleOfTau) {
  EXPECT_EQ(Program().Reduced("numcalls > 1000000 & usecs/call < 10"), std::vector<std::string>{"tiny"});
}

TEST(Reduce, FieldsOperatorsAndGroups) {
  const Program p;
  const std::vector<std::string> fib = {"fib"}, none;
  EXPECT_EQ(p.Reduced("numcalls = 6"), fib);
  EXPECT_EQ(p.Reduced("numcalls=6&numcalls!=7"), fib);
  EXPECT_EQ(p.Reduced("inclusive < 2500000 # two and a half seconds"), fib);
  EXPECT_EQ(p.Reduced("percent < 25"), fib);
  EXPECT_EQ(p.Reduced("percent < 25 | usecs/call < 2"), (std::vector<std::string>{"tiny", "fib"}));
  EXPECT_EQ(p.Reduced("percent < 25\n\n# more\nusecs/call < 2"), (std::vector<std::string>{"tiny", "fib"}));
  EXPECT_EQ(p.Reduced("excltime > 2500000 & usec < 3500000"), (std::vector<std::string>{"solve(int)", "tiny"}));
  EXPECT_EQ(p.Reduced("numsubrs > 2000000"), (std::vector<std::string>{"solve(int)"}));
  EXPECT_EQ(p.Reduced("MPI: numcalls > 10"), (std::vector<std::string>{"MPI_Send"}));
  EXPECT_EQ(p.Reduced("USR: numcalls > 10 & percent > 1"), (std::vector<std::string>{"tiny"}));
  EXPECT_EQ(p.Reduced("numcalls > 1e9"), none);
}

TEST(Reduce, WhatIsWrongHasAPlace) {
  std::vector<config::FilterProblem> problems;
  const auto rules =
      ParseRules("calls > 1\nnumcalls > 1 & percent\nnumcalls > many\nX: percent < 1\nnumcalls > 5", &problems);
  const auto lines = config::RenderProblems("r", problems);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].rfind("r:1:1: ", 0), 0U) << lines[0];
  EXPECT_EQ(lines[1].rfind("r:2:23: ", 0), 0U) << lines[1];
  EXPECT_EQ(lines[2].rfind("r:3:12: ", 0), 0U) << lines[2];
  EXPECT_EQ(lines[3].rfind("r:4:1: ", 0), 0U) << lines[3];
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].line, 5);
}

TEST(Score, FunctionsThatWorkCostLess) {
  const Program program;
  const std::vector<RegionCosts> costs = CostsOf(program.profile);
  Prices prices;
  prices.pair_ns = 10;
  const double alike = ScoreOf(program.profile, costs, prices, {}).all.overhead;
  prices.by_work = {1800, 1, 3};  // a visit of tiny takes 1 us
  prices.KeepMean(costs);
  EXPECT_NEAR(ScoreOf(program.profile, costs, prices, {}).all.overhead, alike, 1e-9 + 1e-6 * alike);
  const auto of_visit = [&](const char* name) {
    for (size_t r = 0; r < costs.size(); ++r) {
      if (program.profile.regions[r].name != name) continue;
      const Cost sum = costs[r].Sum();
      return OverheadOf(sum, prices) / static_cast<double>(sum.visits);
    }
    return 0.0;
  };
  EXPECT_GT(of_visit("tiny"), 10 * of_visit("fib"));
}

}  // namespace
}  // namespace epik::analysis
