// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/process_facts.h"

#include <gtest/gtest.h>

#include <utility>

namespace epik::archive {
namespace {

TEST(ProcessFacts, TheStatusIsThatOfAShell) {
  for (const auto& [value, words] :
       {std::pair(0, "status 0"), {3, "status 3"}, {-61, "status 195"}, {256, "status 0"}}) {
    std::vector<ProcessFacts> processes(1);
    processes[0].numbers.ending = event::Ending::kUnderscoreExit;
    processes[0].numbers.ending_value = value;
    Manifest manifest;
    DescribeRun(processes, {}, &manifest);
    EXPECT_EQ(manifest.ended, "_exit");
    EXPECT_EQ(manifest.ended_detail, words);
  }
}

// Prices that add up to twice the CPU time are too high by half or more, the least ones, too.
TEST(ProcessFacts, PricesThatAreTooHighLeaveTimeToTheProgram) {
  std::vector<ProcessFacts> processes(1);
  ProcessFacts::Numbers& numbers = processes[0].numbers;
  numbers.wall_seconds = 0.5;
  numbers.computed_seconds = numbers.computed_most_seconds = 0.08;
  numbers.cost_seconds = numbers.timed_cost_seconds = 0.16;
  numbers.cost_least_seconds = 0.06;
  numbers.chain = {0.08, 0.5, 0.4, 0.5, 0};
  numbers.calls = 1'000'000;
  Manifest manifest;
  DescribeRun(processes, {}, &manifest);
  EXPECT_DOUBLE_EQ(manifest.cost_seconds, 0.08);
  EXPECT_DOUBLE_EQ(manifest.cost_by_prices_seconds, 0.16);
  EXPECT_DOUBLE_EQ(manifest.cost_least_seconds, 0.03);
  EXPECT_DOUBLE_EQ(manifest.wall_without_most_seconds, 0.5 - 0.2);
  EXPECT_DOUBLE_EQ(manifest.pair_cost_ns, 80);
}

}  // namespace
}  // namespace epik::archive
