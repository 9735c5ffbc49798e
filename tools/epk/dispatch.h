// SPDX-License-Identifier: BSD-3-Clause
// From the words after `epk` to an exit status: overview, manuals, version, and the verb itself.
#ifndef EPIK_TOOLS_EPK_DISPATCH_H_
#define EPIK_TOOLS_EPK_DISPATCH_H_

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tools/epk/command.h"
#include "view/terminal.h"

namespace epik::epk {

// The streams that the frame writes to. Commands write to the process's own streams.
struct Screen {
  view::Terminal terminal;
  std::ostream& out;
  std::ostream& err;
};

int Dispatch(std::span<const Command> commands, const std::vector<std::string>& words, const Screen& screen);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_DISPATCH_H_
