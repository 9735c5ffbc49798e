// SPDX-License-Identifier: BSD-3-Clause
#include "view/shell.h"

#include <gtest/gtest.h>

namespace epik::view {
namespace {

TEST(InShell, QuotesWhatAShellWouldTakeForSomethingElse) {
  EXPECT_EQ(InShell("./epik_solver_4x2_sum"), "./epik_solver_4x2_sum");
  EXPECT_EQ(InShell("epik_my prog_1x1_sum"), "'epik_my prog_1x1_sum'");
  EXPECT_EQ(InShell("it's $(here)"), "'it'\\''s $(here)'");
  EXPECT_EQ(InShell(""), "''");
}

}  // namespace
}  // namespace epik::view
