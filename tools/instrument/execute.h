// SPDX-License-Identifier: BSD-3-Clause
//
// The part of instrumentation that touches the machine: asks compilers, and runs the plan.
#ifndef EPIK_TOOLS_INSTRUMENT_EXECUTE_H_
#define EPIK_TOOLS_INSTRUMENT_EXECUTE_H_

#include "tools/instrument/options.h"
#include "tools/instrument/plan.h"

namespace epik::instrument {

Environment SystemEnvironment();

// Replaces this process by the compiler, so that the caller gets its status and signals. Returns only when it could not
// be started (127, 126), or with --keep-going, where the compiler is a child that may have to be run once more.
int Execute(const Plan& plan, const Options& options);

// Runs `epk instrument` after its options were read. stdout belongs to the compiler, unless flags or a dry run are
// wanted.
int Run(const Words& words, Options options);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_EXECUTE_H_
