// SPDX-License-Identifier: BSD-3-Clause
// Commands speak to the user on standard error.
#ifndef EPIK_TOOLS_EPK_MESSAGE_H_
#define EPIK_TOOLS_EPK_MESSAGE_H_

#include <exception>
#include <string>
#include <string_view>

namespace epik::epk {

// "speaker text" and a line end: in one line for files and other programs, in the width of a terminal on standard
// error.
std::string Message(std::string_view speaker, std::string_view text);
// Says why something failed, in one line.
std::string ReasonOf(const std::exception& error);
// "epk COMMAND: text", on standard error.
void TellUser(std::string_view command, std::string_view text);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_MESSAGE_H_
