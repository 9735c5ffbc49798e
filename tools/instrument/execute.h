// SPDX-License-Identifier: BSD-3-Clause
//
// The machine's side of instrumentation: asking compilers, running the plan.
#ifndef EPIK_TOOLS_INSTRUMENT_EXECUTE_H_
#define EPIK_TOOLS_INSTRUMENT_EXECUTE_H_

#include "tools/instrument/options.h"
#include "tools/instrument/plan.h"

namespace epik::instrument {

Environment SystemEnvironment();

// Becomes the compiler: its status and signals are the caller's. Returns only when it could not be started (127, 126),
// or with --keep-going, where the compiler is a child that may have to be run once more.
int Execute(const Plan& plan, const Options& options);

// All of `epk instrument` after its options were read. stdout is the compiler's, unless flags or a dry run are wanted.
int Run(const Words& words, Options options);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_EXECUTE_H_
