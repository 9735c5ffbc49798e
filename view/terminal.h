// SPDX-License-Identifier: BSD-3-Clause
// The abilities of the reader's screen. The program asks for them once and hands them down as a value.
#ifndef EPIK_VIEW_TERMINAL_H_
#define EPIK_VIEW_TERMINAL_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace epik::view {

enum class Style : unsigned char { kPlain, kBold, kFaint, kGood, kWarn, kBad, kAccent, kMpi, kOmp };

struct Terminal {
  size_t width = 100;
  bool colour = false;
  bool unicode = true;
  bool interactive = false;

  // Returns `text` in that style on a screen with colour, and unchanged on others. It styles each line, because pagers
  // forget colours at the end of a line.
  std::string Paint(Style style, std::string_view text) const;
  std::string Bold(std::string_view text) const { return Paint(Style::kBold, text); }
  std::string Dim(std::string_view text) const { return Paint(Style::kFaint, text); }
  std::string Alarm(std::string_view text) const { return Paint(Style::kBad, text); }
  std::string Warning(std::string_view text) const { return Paint(Style::kWarn, text); }

  // Replaces "µs" by "us", which is as wide, if there is no Unicode.
  std::string Spelled(std::string_view text) const;

  // Marks text that was cut off.
  std::string_view Ellipsis() const { return unicode ? "…" : "..."; }
  std::string_view Times() const { return unicode ? "×" : "x"; }
  std::string_view PlusMinus() const { return unicode ? "±" : "+-"; }
  std::string_view Arrow() const { return unicode ? "→" : "->"; }
};

// Whether LC_ALL, LC_CTYPE or LANG names UTF-8; `otherwise` when none is set.
bool LocaleIsUtf8(bool otherwise);

// The terminal behind a file descriptor. Width: that of COLUMNS, otherwise that of the window, otherwise 100. Colour:
// only on a terminal, without NO_COLOR, and not with TERM=dumb. Unicode: as the locale says; if none is set, no on a
// terminal and yes in files.
Terminal DetectTerminal(int fd);

// The rules alone, for tests: `getenv` is the environment, and `window_columns` is 0 when unknown.
Terminal DescribeTerminal(bool is_terminal, size_t window_columns,
                          const std::function<const char*(const char*)>& getenv);

}  // namespace epik::view

#endif  // EPIK_VIEW_TERMINAL_H_
