// SPDX-License-Identifier: BSD-3-Clause
// epk max: several profiles become one.
#include "tools/epk/combining.h"

namespace epik::epk {
namespace {

constexpr char kMaxManual[] = R"(
SYNOPSIS
    epk max ARCHIVE... -o OUT

DESCRIPTION
  Takes the largest exclusive value of all runs for every metric, call path and thread: the most disturbed time of
  each. The sums of such a profile belong to no run; they are a bound from above.

  Archives and .cubex files will do, also those of Score-P and Scalasca. The result is such a file again: a .cubex file
  when OUT ends so, otherwise a directory, which must not exist yet. docs/algebra.md says what counts as the same call
  path in two files.

EXAMPLES
    epk max epik_solver_4x2_sum epik_solver_4x2_sum.1 -o most.cubex

EXIT STATUS
  0 when the result is written, 1 when an input is at fault, 2 for wrong usage.

SEE ALSO
  epk-mean(1), epk-min(1), epk-diff(1)
)";

}  // namespace

void AddMax(cli::App& app, std::function<int()>& run) { AddCombining(app, run, algebra::Operation::kMax, kMaxManual); }

}  // namespace epik::epk
