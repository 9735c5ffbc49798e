// SPDX-License-Identifier: BSD-3-Clause
//
// Turns a compiler's command into the same command with measurement. It is pure: it learns about the machine only
// through Environment, so a test is a table of command lines.
#ifndef EPIK_TOOLS_INSTRUMENT_PLAN_H_
#define EPIK_TOOLS_INSTRUMENT_PLAN_H_

#include <functional>
#include <string>

#include "tools/instrument/command_line.h"
#include "tools/instrument/compiler.h"
#include "tools/instrument/options.h"
#include "tools/instrument/words.h"

namespace epik::instrument {

struct Environment {
  // Asks the compiler: its words up to its own name, the input's language (none for a link), options that move system
  // headers.
  std::function<CompilerFacts(const Words& compiler, const CommandLine& line)> probe;
  // Whether this compiler takes the options that load a plugin, which is right for one build of the compiler only.
  std::function<bool(const Words& compiler, const CommandLine& line, const Words& load)> takes_plugin;
  ReadFile read_file;
  std::function<bool(const std::string& path)> exists;
  std::function<std::string(const std::string& path)> canonical;  // without links; empty when it does not exist
  std::string current_dir;
};

struct Plan {
  Words command;      // the command to run
  Words plain;        // the user's command
  Words notes;        // for stderr, one line each
  Words details;      // more of them, for -v
  std::string error;  // not empty: wrong usage, no command can be run
  bool changed() const { return command != plain; }
};

Plan MakePlan(const Words& compiler_command, const Options& options, const Environment& environment);

// The output of --print-flags: the options for one step of this compiler, quoted for a shell.
std::string PrintedFlags(const Words& compiler, const Options& options, const Environment& environment);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_PLAN_H_
