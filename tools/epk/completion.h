// SPDX-License-Identifier: BSD-3-Clause
// Bash completion, made of the same definitions as the parser.
#ifndef EPIK_TOOLS_EPK_COMPLETION_H_
#define EPIK_TOOLS_EPK_COMPLETION_H_

#include <span>
#include <string>

#include "tools/epk/command.h"

namespace epik::epk {

// Needs bash 4 and no other package.
std::string BashCompletion(std::span<const Command> commands);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_COMPLETION_H_
