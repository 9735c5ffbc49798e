// SPDX-License-Identifier: BSD-3-Clause
//
// `epk run` after its options were read.
#ifndef EPIK_TOOLS_LAUNCH_RUN_H_
#define EPIK_TOOLS_LAUNCH_RUN_H_

#include <functional>
#include <string>

#include "tools/cli/app.h"
#include "tools/launch/plan.h"

namespace epik::launch {

struct Callbacks {
  // Makes an archive of the arenas that a killed run left at `path`; returns its path, "" when no archive could be
  // made. `signal` killed the process; 0: not known.
  std::function<std::string(const std::string& path, int signal)> recover;
  // Analyses an archive's trace, and prints on stderr that it did. Null: the user did not ask for an analysis.
  std::function<void(const std::string& archive)> analyze;
};

// Declares the options; the words from the first other word on belong to the program (App::rest()).
void DeclareOptions(cli::App& app, Options& options);

Machine SystemMachine();

// Runs the program and returns its status; if a signal killed the program, does not return but dies of the same signal.
int Run(const Words& words, Options options, const Callbacks& callbacks);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_RUN_H_
