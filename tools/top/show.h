// SPDX-License-Identifier: BSD-3-Clause
// A picture as people and machines read it.
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
  std::string title;  // what runs
};

std::string ShowText(const Picture& picture, const ShowOptions& options, const view::Terminal& terminal);

// One object in one line; everything that was ever entered unless options.top says otherwise.
std::string ShowJson(const Picture& picture, const ShowOptions& options);

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_SHOW_H_
