// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/message.h"

#include <unistd.h>

#include <cstdio>

#include "view/prose.h"
#include "view/terminal.h"

namespace epik::epk {

std::string Message(std::string_view speaker, std::string_view text) {
  constexpr size_t kIndent = 4;
  const std::string first = std::string(speaker) + " ";
  if (isatty(STDERR_FILENO) == 0) return first + std::string(text) + "\n";
  return view::Wrapped(first, text, kIndent, view::DetectTerminal(STDERR_FILENO).width);
}

void TellUser(std::string_view command, std::string_view text) {
  fputs(Message("epk " + std::string(command) + ":", text).c_str(), stderr);
}

}  // namespace epik::epk
