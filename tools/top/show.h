// SPDX-License-Identifier: BSD-3-Clause
// Shows a picture to people and to programs.
#ifndef EPIK_TOOLS_TOP_SHOW_H_
#define EPIK_TOOLS_TOP_SHOW_H_

#include <cstddef>
#include <string>

#include "tools/top/picture.h"
#include "view/terminal.h"

namespace epik::top {

enum class Sort { kExclusive, kInclusive, kVisits, kName };
enum class View { kPaths, kRegions, kThreads };

struct ShowOptions {
  Sort sort = Sort::kExclusive;
  View view = View::kPaths;
  size_t top = 20;    // lines of call paths or regions; 0: all
  size_t height = 0;  // of the screen; 0: as many lines as there are
  double interval = 1;
  bool frozen = false;
  bool help = false;
  std::string title;  // title of the program
};

// "34.6/s", "3.29 M/s"; "0.0229/s", since "22.9 m/s" would be metres per second.
std::string RateText(double per_second);

std::string ShowText(const Picture& picture, const ShowOptions& options, const view::Terminal& terminal);

// One object in one line; it has everything that was ever entered, unless options.top limits it.
std::string ShowJson(const Picture& picture, const ShowOptions& options);

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_SHOW_H_
