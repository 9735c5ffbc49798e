// SPDX-License-Identifier: BSD-3-Clause
// epk merge: several profiles become one.
#include "tools/epk/combining.h"

namespace epik::epk {
namespace {

constexpr char kMergeManual[] = R"(
SYNOPSIS
    epk merge ARCHIVE... -o OUT

DESCRIPTION
  Two counters that a processor cannot count in one run are counted in two. This makes one profile of them, with the
  metrics of all runs. A metric that several runs have is taken from the first of them.

  Archives and .cubex files will do, also those of Score-P and Scalasca. The result is such a file again: a .cubex file
  when OUT ends so, otherwise a directory, which must not exist yet. docs/algebra.md says what counts as the same call
  path in two files.

EXAMPLES
    epk merge epik_solver_cache epik_solver_flops -o epik_solver_counters
    epk merge scorep-run/profile.cubex epik_solver_4x2_sum -o both.cubex

EXIT STATUS
  0 when the result is written, 1 when an input is at fault, 2 for wrong usage.

SEE ALSO
  epk-mean(1), epk-cut(1), epk-report(1)
)";

}  // namespace

void AddMerge(cli::App& app, std::function<int()>& run) {
  AddCombining(app, run, algebra::Operation::kMerge, kMergeManual);
}

}  // namespace epik::epk
