// SPDX-License-Identifier: BSD-3-Clause
#include "view/shell.h"

#include <gtest/gtest.h>

#include "view/text.h"

namespace epik::view {
namespace {

TEST(InShell, QuotesWhatAShellWouldTakeForSomethingElse) {
  EXPECT_EQ(InShell("./epik_solver_4x2_sum"), "./epik_solver_4x2_sum");
  EXPECT_EQ(InShell("epik_my prog_1x1_sum"), "'epik_my prog_1x1_sum'");
  EXPECT_EQ(InShell("it's $(here)"), "'it'\\''s $(here)'");
  EXPECT_EQ(InShell(""), "''");
}

TEST(InShell, ACommandOfSeveralWords) {
  EXPECT_EQ(InShell(std::vector<std::string>{"./a b", "x\033[1m", "--n=2"}),
            "'./a b' " + InShell(Printable("x\033[1m")) + " --n=2");
  EXPECT_EQ(InShell(std::vector<std::string>()), "");
}

}  // namespace
}  // namespace epik::view
