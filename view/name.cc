// SPDX-License-Identifier: BSD-3-Clause
#include "view/name.h"

#include "view/text.h"

namespace epik::view {
namespace {

// Replaces what stands between the outermost pair of `open` and `close` by dots. "operator()" and "operator<" survive.
std::string Hollow(std::string_view name, char open, char close, std::string_view dots) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool part_of_operator = name.substr(0, i).ends_with("operator") || name.substr(0, i).ends_with("operator(") ||
                                  name.substr(0, i).ends_with("operator<") || name.substr(0, i).ends_with("operator-");
    if (name[i] == open && !part_of_operator && depth++ == 0) {
      out += open;
      if (i + 1 < name.size() && name[i + 1] != close) out += dots;
      continue;
    }
    if (name[i] == close && !part_of_operator && depth > 0) --depth;
    if (depth == 0) out += name[i];
  }
  return depth == 0 ? out : std::string(name);
}

}  // namespace

std::string ShortName(std::string_view name, size_t width, const Terminal& terminal) {
  std::string text = Printable(name.empty() ? "(unnamed)" : name);
  const std::string_view dots = terminal.Ellipsis();
  if (Width(text) > width) text = Hollow(text, '(', ')', dots);
  if (Width(text) > width) text = Hollow(text, '<', '>', dots);
  return Shorten(text, width, Cut::kMiddle, dots);
}

std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal) {
  constexpr size_t kLongestCaller = 40;
  const std::string arrow = " > ", more = std::string(terminal.Ellipsis()) + arrow;
  std::string path;
  for (size_t i = names.size(); i-- > 0;) {
    // Unless it is the first, there must be room to say that callers are left out.
    const size_t reserved = i == 0 ? 0 : Width(more);
    const size_t room = width > reserved ? width - reserved : 1;
    if (path.empty()) {
      path = ShortName(names[i], room, terminal);
      continue;
    }
    const std::string longer = ShortName(names[i], kLongestCaller, terminal) + arrow + path;
    if (Width(longer) > room) return more + path;
    path = longer;
  }
  return path;
}

}  // namespace epik::view
