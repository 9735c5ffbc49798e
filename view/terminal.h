// SPDX-License-Identifier: BSD-3-Clause
// What the reader's screen can show. Asked once, then handed down as a value: everything below is a function of it.
#ifndef EPIK_VIEW_TERMINAL_H_
#define EPIK_VIEW_TERMINAL_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace epik::view {

enum class Style { kPlain, kBold, kFaint, kGood, kWarn, kBad, kAccent };

struct Terminal {
  size_t width = 100;
  bool colour = false;
  bool unicode = true;
  bool interactive = false;

  // `text` in that style where there is colour, untouched where there is none.
  std::string Paint(Style style, std::string_view text) const;
  // What stands for text that was cut off.
  std::string_view Ellipsis() const { return unicode ? "…" : "..."; }
};

// The terminal behind a file descriptor. Width: COLUMNS, else the window's, else 100. Colour: only on a terminal, and
// neither with NO_COLOR nor with TERM=dumb. Unicode: as the locale says; where none is set, not on a
// terminal, but in files.
Terminal DetectTerminal(int fd);

// The rules alone, for tests: `getenv` answers for the environment, `window_columns` is 0 when unknown.
Terminal DescribeTerminal(bool is_terminal, size_t window_columns,
                          const std::function<const char*(const char*)>& getenv);

}  // namespace epik::view

#endif  // EPIK_VIEW_TERMINAL_H_
