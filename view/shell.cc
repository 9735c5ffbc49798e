// SPDX-License-Identifier: BSD-3-Clause
#include "view/shell.h"

#include <string_view>

#include "view/text.h"

namespace epik::view {

std::string InShell(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=+:,@%-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string InShell(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + InShell(Printable(word));
  return command;
}

}  // namespace epik::view
