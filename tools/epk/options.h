// SPDX-License-Identifier: BSD-3-Clause
// A verb with its options, described for manuals and completion.
#ifndef EPIK_TOOLS_EPK_OPTIONS_H_
#define EPIK_TOOLS_EPK_OPTIONS_H_

#include <CLI/CLI.hpp>
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
  CLI::App app;
  std::function<int()> run;
};

struct OptionInfo {
  std::vector<std::string> names;    // "-o", "--output"; none for a positional argument
  std::string value;                 // "FILE", "text|json"; empty for a flag; the name of a positional argument
  std::vector<std::string> choices;  // when only these are accepted
  std::string text;
  bool positional = false;
  bool required = false;
  bool many = false;

  // "-o, --output FILE", lined up whether there is a short name or not.
  std::string Term() const;
};

// In the order they were added, --help last, hidden ones (empty group) left out.
std::vector<OptionInfo> Options(const CLI::App& app);
std::vector<std::string> OptionNames(const CLI::App& app);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_OPTIONS_H_
