// SPDX-License-Identifier: BSD-3-Clause
// epk min: several profiles become one.
#include "tools/epk/combining.h"

namespace epik::epk {
namespace {

constexpr char kMinManual[] = R"(
SYNOPSIS
    epk min ARCHIVE... -o OUT

DESCRIPTION
  Takes the least exclusive value of all runs for every metric, call path and thread: the least disturbed time of
  each. The sums of such a profile belong to no run; they are a bound from below. When a run does not have a call path
  or thread, its value there is 0.

  Archives and .cubex files will do, also those of Score-P and Scalasca. The result is such a file again: a .cubex file
  when OUT ends so, otherwise a directory, which must not exist yet. docs/algebra.md says what counts as the same call
  path in two files.

EXAMPLES
    epk min epik_solver_4x2_sum epik_solver_4x2_sum.1 -o least.cubex

EXIT STATUS
  0 when the result is written, 1 when an input is at fault, 2 for wrong usage.

SEE ALSO
  epk-mean(1), epk-max(1), epk-diff(1)
)";

}  // namespace

void AddMin(cli::App& app, std::function<int()>& run) { AddCombining(app, run, algebra::Operation::kMin, kMinManual); }

}  // namespace epik::epk
