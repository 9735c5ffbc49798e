// SPDX-License-Identifier: BSD-3-Clause
// The terminal while a view is refreshed in place: its own page, keys without Enter. The terminal is restored in every
// way that the program can end.
#ifndef EPIK_TOOLS_TOP_SCREEN_H_
#define EPIK_TOOLS_TOP_SCREEN_H_

#include <cstddef>
#include <string>

namespace epik::top {

class Screen {
 public:
  // Standard output is a terminal on which the cursor moves: TERM is set, and is not "dumb".
  static bool IsThere();

  Screen();  // at most one at a time
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Replaces the text in one write, without clearing first, so that nothing flickers.
  void Show(const std::string& text);

  // Waits for a key, a signal or the end of the time.
  enum Event : int { kTimeout = -1, kResized = -2, kEnd = -3 };
  int Wait(double seconds);  // a key's character, or an Event

  static size_t Height();  // 24 when it is not known

 private:
  bool keys_;  // standard input is a terminal
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_SCREEN_H_
