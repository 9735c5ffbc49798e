// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/message.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "view/prose.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::epk {

namespace {

// Messages contain words that people typed, and text of files.
std::string PrintableLines(std::string_view text) {
  std::string safe;
  for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    safe += (begin > 0 ? "\n" : "") + view::Printable(text.substr(begin, end - begin));
  }
  return safe;
}

}  // namespace

std::string Message(std::string_view speaker, std::string_view text) {
  constexpr size_t kIndent = 4;
  const std::string first = std::string(speaker) + " ", safe = PrintableLines(text);
  if (isatty(STDERR_FILENO) == 0) return first + safe + "\n";
  return view::Wrapped(first, safe, kIndent, view::DetectTerminal(STDERR_FILENO).width);
}

std::string ReasonOf(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return "memory ended: the machine has too little for this, or `ulimit -v` allows too little";
  // Libraries may put several lines into their messages.
  std::string text = error.what();
  text.erase(text.find_last_not_of(" \n") + 1);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void TellUser(std::string_view command, std::string_view text) {
  fputs(Message("epk " + std::string(command) + ":", text).c_str(), stderr);
}

}  // namespace epik::epk
