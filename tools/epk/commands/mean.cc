// SPDX-License-Identifier: BSD-3-Clause
// epk mean: several profiles become one.
#include "tools/epk/combining.h"

namespace epik::epk {
namespace {

constexpr char kMeanManual[] = R"(
SYNOPSIS
    epk mean ARCHIVE... -o OUT

DESCRIPTION
  Runs of one program differ. This makes one profile of several, with the mean of every metric for each call path and
  thread. Counts are rounded to whole numbers. When a run does not have a call path or thread, its value there is 0; a
  metric is averaged over the runs that have it. For shortest and longest times, runs in which the call path never ran
  do not count.

  The result does not tell hosts apart: processes are matched by rank, threads by number.

  Archives and .cubex files will do, also those of Score-P and Scalasca. The result is such a file again: a .cubex file
  when OUT ends so, otherwise a directory, which must not exist yet. docs/algebra.md says what counts as the same call
  path in two files.

EXAMPLES
    epk mean epik_solver_4x2_sum epik_solver_4x2_sum.1 -o epik_solver_mean
    epk mean run*.cubex -o mean.cubex

EXIT STATUS
  0 when the result is written, 1 when an input is at fault, 2 for wrong usage.

SEE ALSO
  epk-diff(1), epk-min(1), epk-max(1), epk-report(1)
)";

}  // namespace

void AddMean(cli::App& app, std::function<int()>& run) {
  AddCombining(app, run, algebra::Operation::kMean, kMeanManual);
}

}  // namespace epik::epk
