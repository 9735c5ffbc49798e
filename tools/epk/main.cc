// SPDX-License-Identifier: BSD-3-Clause
// The one command in front of EPIK.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "tools/epk/command.h"
#include "tools/epk/dispatch.h"
#include "tools/epk/view/terminal.h"

namespace epik::epk {
namespace {

constexpr Command kCommands[] = {
#define COMMAND(Name, name, group, summary) {name, group, summary, Add##Name},
#include "tools/epk/commands.def"
#undef COMMAND
};

int Main(const std::vector<std::string>& words) {
  const int status = Dispatch(kCommands, words, {view::DetectTerminal(STDOUT_FILENO), std::cout, std::cerr});
  // A full disk must not look like success: what was printed may be somebody's report.
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::cout.good()) return status;
  std::cerr << "epk: cannot write the output\n";
  return kFault;
}

}  // namespace
}  // namespace epik::epk

int main(int argc, char** argv) { return epik::epk::Main({argv + (argc > 0), argv + argc}); }
