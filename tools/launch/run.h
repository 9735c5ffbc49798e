// SPDX-License-Identifier: BSD-3-Clause
//
// All of `epk run` after its options were read.
#ifndef EPIK_TOOLS_LAUNCH_RUN_H_
#define EPIK_TOOLS_LAUNCH_RUN_H_

#include <functional>
#include <string>

#include "CLI/App.hpp"
#include "tools/launch/plan.h"

namespace epik::launch {

struct Callbacks {
  // Makes an archive of what a killed run left at `path`; returns its path, "" when there was nothing to save.
  std::function<std::string(const std::string& path)> recover;
  // Says on stderr what is in an archive and what to do next.
  std::function<void(const std::string& archive)> digest;
};

// Declares the options; whatever follows the first other word is the program's (app.remaining()).
void DeclareOptions(CLI::App& app, Options& options);

Machine SystemMachine();

// Runs the program and returns its status; when a signal killed it, does not return but dies of the same.
int Run(const Words& words, Options options, const Callbacks& callbacks);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_RUN_H_
