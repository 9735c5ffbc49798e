// SPDX-License-Identifier: BSD-3-Clause
// A sub-command. `epk verb` is one file, commands/verb.cc, and one line in commands.def. The file defines
//
//   void AddVerb(cli::App& app, std::function<int()>& run) {
//     auto top = std::make_shared<int>(20);
//     app.AddOption("--top", *top, "show the N largest").TypeName("N");
//     app.Footer(kManual);
//     run = [top] { ...; return kDone; };
//   }
//
// `app` is the verb's own: options and positional arguments go straight into it, never into a sub-app. It and `run`
// outlive the call of `run`.
//
// The manual is made of the summary in commands.def, the options, and the text given to app.Footer(): a line of
// capitals at the left edge opens a section (DESCRIPTION and EXAMPLES are expected; SYNOPSIS, EXIT STATUS and SEE ALSO
// are added where they are missing), lines indented by three or more stand as they are, all others are filled, and
// `words in backquotes` stand out. It must fit 80 columns.
//
// Answers go to stdout; everything else to stderr. A wrong use throws UsageError, wrong input throws Fault: the frame
// prints the one line and returns the status.
#ifndef EPIK_TOOLS_EPK_COMMAND_H_
#define EPIK_TOOLS_EPK_COMMAND_H_

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/cli/app.h"

namespace epik::epk {

enum ExitStatus : int { kDone = 0, kFault = 1, kUsage = 2 };

// "epk verb: <what>" and status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The archive or the input is wrong: "epk verb: <what>" and status 1. Any other std::exception is treated in the same
// way.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Command {
  const char* name;
  const char* group;    // heading in the overview
  const char* summary;  // lower case, no full stop
  void (*add)(cli::App& app, std::function<int()>& run);
};

// For verbs that start a program: the first word that is no option of ours, and all words after it, go to `words`, in
// order and unchanged. "--" before it is allowed and dropped. No word at all is a usage error that asks for `what`.
void TakeProgram(cli::App& app, std::vector<std::string>* words, const char* what = "program");

// Checks the value of an option that counts something (app.AddOption(…).Check(WhyNoCount)); empty: it is good.
std::string WhyNoCount(const std::string& value);

// Check that the value is a number within bounds: Check(NumberFrom(0, 100)).
cli::WhyNot NumberFrom(double least, double most);
cli::WhyNot WholeNumberFrom(uint64_t least, uint64_t most);

#define COMMAND(Name, name, group, summary) void Add##Name(cli::App& app, std::function<int()>& run);
#include "tools/epk/commands.def"
#undef COMMAND

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_COMMAND_H_
