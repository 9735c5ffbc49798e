// SPDX-License-Identifier: BSD-3-Clause
// A verb with its options, described for manuals and completion.
#ifndef EPIK_TOOLS_EPK_OPTIONS_H_
#define EPIK_TOOLS_EPK_OPTIONS_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/epk/command.h"

namespace epik::epk {

// Only the verb that the user names is set up.
struct Verb {
  explicit Verb(const Command& command_in);
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;

  Command command;
  cli::App app;
  std::function<int()> run;
};

std::vector<std::string> OptionNames(const cli::App& app);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_OPTIONS_H_
