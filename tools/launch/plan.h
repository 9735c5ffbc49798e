// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of `epk run`: its variables and its command. It is pure: it learns about the machine only through Machine.
#ifndef EPIK_TOOLS_LAUNCH_PLAN_H_
#define EPIK_TOOLS_LAUNCH_PLAN_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/launch/launchers.h"
#include "tools/launch/program.h"
#include "tools/launch/settings.h"

namespace epik::launch {

struct Machine {
  std::function<std::string(const std::string& word)> find;  // in PATH
  Resolve resolve;                                           // and through symbolic links
  std::function<Program(const std::string& path)> inspect;
  std::function<bool(const std::string& path)> exists;
  std::function<std::string(const std::string& path)> cannot_fill;  // why no archive can be made in that folder, or ""
  std::function<std::string(const std::string& name)> variable;     // "" when unset
  // The line of a file of settings that switches measurement off, or ""; `named`: the value of EPK_CONF.
  std::function<std::string(const std::string& named)> switched_off_in;
  Words variables;  // names of all that are set
  std::string current_dir;
};

struct Plan {
  std::vector<std::pair<std::string, std::string>> environment;  // to be set
  Words command;
  std::string folder;  // in which the archive is made
  Words notes;         // for stderr, before the start
  Words reasons;       // possible reasons, in case no archive was made
  std::vector<Program> programs;
  bool parallel = false;  // behind an MPI launcher
  std::string error;      // not empty: no command can be run
  int status = 0;         // the exit status then: 2, 126, 127
};

Plan MakePlan(const Words& command, const Options& options, const Machine& machine);

// The plan as a line that a user could type: NAME=VALUE … COMMAND.
std::string Describe(const Plan& plan);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_PLAN_H_
