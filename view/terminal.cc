// SPDX-License-Identifier: BSD-3-Clause
#include "view/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace epik::view {
namespace {

constexpr size_t kNarrowestScreen = 40;  // on a narrower screen no layout works: the terminal wraps the lines
constexpr size_t kWidest = 1000;

const char* Code(Style style) {
  switch (style) {
    case Style::kPlain: return "";
    case Style::kBold: return "\033[1m";
    case Style::kFaint: return "\033[2m";
    case Style::kGood: return "\033[32m";
    case Style::kWarn: return "\033[33m";
    case Style::kBad: return "\033[1;31m";
    case Style::kAccent:
    case Style::kMpi: return "\033[36m";
    case Style::kOmp: return "\033[35m";
  }
  return "";
}

bool NamesUtf8(std::string locale) {
  for (char& c : locale) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

// POSIX: the first variable that is set decides.
bool IsUtf8(const std::function<const char*(const char*)>& getenv, bool otherwise) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = getenv(name);
    if (locale != nullptr && *locale != '\0') return NamesUtf8(locale);
  }
  return otherwise;
}

}  // namespace

std::string Terminal::Paint(Style style, std::string_view text) const {
  if (!colour || style == Style::kPlain) return std::string(text);
  std::string painted;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) painted += Code(style) + std::string(text.substr(at, end - at)) + "\033[0m";
    if (end < text.size()) painted += '\n';
    at = end + 1;
  }
  return painted;
}

std::string Terminal::Spelled(std::string_view text) const {
  constexpr std::string_view kMicro = "µs";
  std::string spelled(text);
  if (unicode) return spelled;
  for (size_t at; (at = spelled.find(kMicro)) != std::string::npos;) spelled.replace(at, kMicro.size(), "us");
  return spelled;
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
  terminal.width = std::clamp(terminal.width, kNarrowestScreen, kWidest);
  terminal.colour = is_terminal && text("NO_COLOR").empty() && text("TERM") != "dumb" && !text("TERM").empty();
  terminal.unicode = IsUtf8(getenv, /*otherwise=*/!is_terminal);  // files are UTF-8 unless the locale says otherwise
  return terminal;
}

bool LocaleIsUtf8(bool otherwise) {
  return IsUtf8([](const char* name) { return std::getenv(name); }, otherwise);
}

Terminal DetectTerminal(int fd) {
  winsize window{};
  const bool is_terminal = isatty(fd) != 0;
  if (!is_terminal || ioctl(fd, TIOCGWINSZ, &window) != 0) window.ws_col = 0;
  return DescribeTerminal(is_terminal, window.ws_col, [](const char* name) { return std::getenv(name); });
}

}  // namespace epik::view
