// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/process_facts.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

std::vector<std::string> NotesOf(const std::vector<ProcessFacts>& processes, EndingHint hint = {}) {
  Manifest manifest;
  DescribeRun(processes, hint, &manifest);
  return manifest.notes;
}

// The value is that of its own line: "off" has no number, whatever the next settings have.
TEST(ProcessFacts, ABudgetIsMetOrThereIsNone) {
  std::vector<ProcessFacts> processes(1);
  ProcessFacts::Numbers& numbers = processes[0].numbers;
  numbers.computed_seconds = numbers.computed_most_seconds = 1.1;
  numbers.cost_seconds = 0.1;
  const auto notes = [&](const char* configuration) {
    processes[0].configuration = configuration;
    return NotesOf(processes);
  };
  EXPECT_TRUE(notes("# EPIK\nEPK_BUDGET = off\nEPK_CLOCK_SYNC = 5\n").empty());
  EXPECT_TRUE(notes("# EPIK\n# EPK_BUDGET = 5%\n").empty());
  EXPECT_TRUE(notes("# EPIK\nEPK_BUDGET = 10%\n").empty());
  EXPECT_TRUE(notes("# EPIK\nEPK_BUDGET = 0%\n").empty());
  for (const char* value : {"5%", "0.5%"}) {
    const std::vector<std::string> said = notes(("# EPIK\nEPK_BUDGET = " + std::string(value)).c_str());
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].find("EPK_BUDGET=" + std::string(value) + " was not met: measuring took 0.1 s beside 1 s"), 0u)
        << said[0];
  }
}

ProcessFacts Ended(int32_t rank, event::Ending ending, int value = 0) {
  ProcessFacts facts;
  facts.numbers.rank = rank;
  facts.numbers.ranks = 3;
  facts.numbers.ending = ending;
  facts.numbers.ending_value = value;
  return facts;
}

// When two processes end in different ways, one of them often ends because of the other one. The archive names the end
// that was the reason.
TEST(ProcessFacts, TheGravestEndIsThatOfTheJob) {
  using enum event::Ending;
  const ProcessFacts by_gravity[] = {Ended(0, kMpiFinalize),    Ended(0, kExit),         Ended(0, kUnderscoreExit),
                                     Ended(0, kExec),           Ended(0, kSignal, 15),   Ended(0, kSignal, 2),
                                     Ended(0, kQuickExit, 259), Ended(0, kMpiAbort, 77), Ended(0, kAbort),
                                     Ended(0, kSignal, 11)};
  const char* const words[] = {
      "exit",  "exit without MPI_Finalize", "_exit", "exec", "signal", "signal", "quick_exit", "MPI_Abort", "abort",
      "signal"};
  for (size_t graver = 1; graver < std::size(by_gravity); ++graver) {
    for (size_t other = 0; other < graver; ++other) {
      Manifest manifest;
      ProcessFacts second = by_gravity[graver];
      second.numbers.rank = 1;
      DescribeRun({by_gravity[other], second, Ended(2, kMpiFinalize)}, {}, &manifest);
      EXPECT_EQ(manifest.ended, words[graver]) << other;
      EXPECT_NE(manifest.ended_detail.find("rank 1"), std::string::npos) << manifest.ended_detail;
    }
  }
  EXPECT_EQ(by_gravity[4].numbers.ending_value, SIGTERM);
  Manifest manifest;
  DescribeRun({Ended(0, kSignal, SIGHUP), Ended(1, kSignal, SIGINT), Ended(2, kSignal, SIGHUP)}, {}, &manifest);
  EXPECT_EQ(manifest.ended_detail, "SIGINT, rank 1");
  manifest = {};
  DescribeRun({Ended(0, kAbort), Ended(1, kAbort), Ended(2, kMpiFinalize)}, {}, &manifest);
  EXPECT_EQ(manifest.ended_detail, "2 of 3 ranks");
  manifest = {};  // of two ends that are as grave, that of the lower rank tells
  DescribeRun({Ended(0, kMpiFinalize), Ended(1, kSignal, SIGSEGV), Ended(2, kSignal, SIGBUS)}, {}, &manifest);
  EXPECT_EQ(manifest.ended_detail, "SIGSEGV, rank 1");
}

TEST(ProcessFacts, ASnapshotRunsWhereverItsProcessesAre) {
  Manifest manifest;
  DescribeRun({Ended(0, event::Ending::kNone), Ended(1, event::Ending::kNone), Ended(2, event::Ending::kNone)},
              {.running = true}, &manifest);
  EXPECT_EQ(manifest.ended, "running");
  EXPECT_EQ(manifest.ended_detail, "");
}

TEST(ProcessFacts, TenRanksThatAreMissingAreNamed) {
  for (const auto& [ranks, words] : {std::pair(1u, ""),
                                     {2u, "1"},
                                     {11u, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"},
                                     {12u, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1 more"}}) {
    std::vector<ProcessFacts> processes = {Ended(0, event::Ending::kMpiFinalize)};
    processes[0].numbers.ranks = ranks;
    const std::vector<std::string> notes = NotesOf(processes);
    EXPECT_EQ(notes, *words == '\0' ? std::vector<std::string>()
                                    : std::vector{"nothing was found of rank " + std::string(words)});
  }
}

TEST(ProcessFacts, TheFirstOfTheLargestTracesIsNamed) {
  std::vector<ProcessFacts> processes = {Ended(0, event::Ending::kExit), Ended(1, event::Ending::kExit),
                                         Ended(2, event::Ending::kExit)};
  for (ProcessFacts& facts : processes) facts.numbers.traced = 1;
  processes[1].numbers.trace_bytes = processes[2].numbers.trace_bytes = 100;
  Manifest manifest;
  DescribeRun(processes, {}, &manifest);
  EXPECT_EQ(manifest.trace.largest_rank, 1);
  EXPECT_EQ(manifest.trace.bytes, 200u);
}

// Processes without such call paths do not know a time, which is negative then.
TEST(ProcessFacts, TheEarliestTimeOfHotPathsIsOneThatIsKnown) {
  std::vector<ProcessFacts> processes(3);
  processes[0].numbers.sampled_since = processes[2].numbers.sampled_since = -1;
  processes[1].numbers.sampled_paths = 1;
  processes[1].numbers.sampled_since = 2.5;
  EXPECT_EQ(NotesOf(processes), std::vector<std::string>{"1 call path sampled since 2.5 s"});
}

}  // namespace
}  // namespace epik::archive
