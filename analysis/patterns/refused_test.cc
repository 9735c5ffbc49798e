// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI that fail.
#include <gtest/gtest.h>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

TEST(Refused, OperationsAreNoneThatLackTheirEnd) {
  replay::Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0 | 12 < | 99 <
         1: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0 | 12 < | 99 <)");
  const Found found = Look(&script);
  EXPECT_EQ(found.waits, Waits{});
  EXPECT_EQ(found.unmatched.Total(), 0u);
}

TEST(Refused, OperationsThatBreakOffLackTheirEnd) {
  replay::Script script(2);
  script.Add(R"(0: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0
                1: 0 > m | 10 > MPI_Bcast | 11 collective_begin MPI_Bcast 0)");
  EXPECT_EQ(Look(&script).unmatched.Total(), 2u);
}

}  // namespace
}  // namespace epik::patterns
