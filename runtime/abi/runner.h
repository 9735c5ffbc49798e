// SPDX-License-Identifier: BSD-3-Clause
// Variables by which `epk run` tells the writer of the digest about itself. The writer is the measured program, `epk
// recover`, or `epk run`.
#ifndef EPIK_RUNTIME_ABI_RUNNER_H_
#define EPIK_RUNTIME_ABI_RUNNER_H_

// The file in which `epk run` reads about archives (tools/launch/record.h).
inline constexpr char kRunnerRecord[] = "EPK_INTERNAL_RUN";

// Set when `epk run` analyses the trace at the end, so that the digest does not propose it.
inline constexpr char kAnalysedByRunner[] = "EPK_INTERNAL_RUN_ANALYZES";

#endif  // EPIK_RUNTIME_ABI_RUNNER_H_
