// SPDX-License-Identifier: BSD-3-Clause
// Writes a command's output: to a file that appears when it is complete, to standard output, or to a pager on a
// terminal.
#ifndef EPIK_TOOLS_EPK_OUTPUT_H_
#define EPIK_TOOLS_EPK_OUTPUT_H_

#include <functional>
#include <string>
#include <string_view>

#include "report/sink.h"

namespace epik::epk {

// Writes to the sink; false with the reason in *error.
using Writing = std::function<bool(const report::Sink& sink, std::string* error)>;

// Empty `path`: standard output. Throws Fault.
void WriteOutput(const std::string& path, const Writing& write);

// $PAGER, else less with these flags, else cat. less gets the flags by the variable LESS, unless the user has set it.
std::string PagerCommand(const std::string& less_flags);

// Standard output, through a pager when it is a terminal that does not hold all of the text. Throws Fault.
void ShowText(std::string_view text);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_OUTPUT_H_
