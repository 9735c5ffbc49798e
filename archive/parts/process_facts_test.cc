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

}  // namespace
}  // namespace epik::archive
