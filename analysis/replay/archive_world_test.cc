// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/archive_world.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace epik::replay {
namespace {

std::string SelectionIn(const std::string& configuration) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/epik.conf") << configuration;
  return SelectionOf(folder);
}

TEST(ArchiveWorld, SaysThatCallsAloneAreInTheTrace) {
  EXPECT_NE(WhatWasNotLogged("slow:10ms").find("EPK_TRACE=comm,slow:10ms has both"), std::string::npos);
  for (const char* selection : {"", "all", "comm", "comm,slow:10ms", "msgs,slow:10ms", "slow:10ms,window:f:1-2"}) {
    EXPECT_EQ(WhatWasNotLogged(selection), "") << selection;
  }
}

TEST(ArchiveWorld, KnowsWhatTheTraceWasAskedFor) {
  EXPECT_EQ(SelectionIn("EPK_TRACE = all\n# EPK_ANALYZE = no\n"), "all");
  EXPECT_EQ(SelectionIn("# EPK_TRACE = off\n"), "");
  EXPECT_EQ(SelectionIn("# EPK_TRACE = off\nEPK_ANALYZE = yes\n"), "comm") << "the default of an analysis";
  EXPECT_EQ(SelectionIn("EPK_TRACE = msgs\nEPK_ANALYZE = yes\n"), "msgs");
}

}  // namespace
}  // namespace epik::replay
