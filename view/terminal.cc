// SPDX-License-Identifier: BSD-3-Clause
#include "view/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace epik::view {
namespace {

constexpr size_t kNarrowest = 40;  // below this nothing can be laid out: better let the terminal wrap
constexpr size_t kWidest = 1000;

const char* Code(Style style) {
  switch (style) {
    case Style::kPlain: return "";
    case Style::kBold: return "\033[1m";
    case Style::kFaint: return "\033[2m";
    case Style::kGood: return "\033[32m";
    case Style::kWarn: return "\033[33m";
    case Style::kBad: return "\033[1;31m";
    case Style::kAccent: return "\033[36m";
  }
  return "";
}

bool NamesUtf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(), [](unsigned char c) { return std::tolower(c); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

std::string Terminal::Paint(Style style, std::string_view text) const {
  if (!colour || style == Style::kPlain || text.empty()) return std::string(text);
  return Code(style) + std::string(text) + "\033[0m";
}

Terminal DescribeTerminal(bool is_terminal, size_t window_columns,
                          const std::function<const char*(const char*)>& getenv) {
  const auto text = [&getenv](const char* name) -> std::string {
    const char* value = getenv(name);
    return value == nullptr ? "" : value;
  };
  Terminal terminal;
  terminal.interactive = is_terminal;
  if (is_terminal && window_columns > 0) terminal.width = window_columns;
  const long columns = std::atol(text("COLUMNS").c_str());
  if (columns > 0) terminal.width = static_cast<size_t>(columns);
  terminal.width = std::clamp(terminal.width, kNarrowest, kWidest);
  terminal.colour = is_terminal && text("NO_COLOR").empty() && text("TERM") != "dumb" && !text("TERM").empty();
  terminal.unicode = !is_terminal;  // files are UTF-8 unless somebody wants something else
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = text(name);
    if (locale.empty()) continue;
    terminal.unicode = NamesUtf8(locale);
    break;  // POSIX: the first that is set decides
  }
  return terminal;
}

Terminal DetectTerminal(int fd) {
  winsize window{};
  const bool is_terminal = isatty(fd) != 0;
  if (!is_terminal || ioctl(fd, TIOCGWINSZ, &window) != 0) window.ws_col = 0;
  return DescribeTerminal(is_terminal, window.ws_col, [](const char* name) { return std::getenv(name); });
}

}  // namespace epik::view
