// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and call paths in as much room as there is.
#ifndef EPIK_VIEW_NAME_H_
#define EPIK_VIEW_NAME_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "view/terminal.h"

namespace epik::view {

// All of these take names as they are and give what is safe to show, at most `width` columns.

// Parameter lists go first, then template arguments, then the middle.
std::string ShortName(std::string_view name, size_t width, const Terminal& terminal);

// The same for several names side by side. Those that would look alike show where they differ: `Sum<double>(…)`.
std::vector<std::string> ShortNames(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal);

// "a > b > c": names are shortened, and callers left out from the left.
std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal);

// The names in "a > b > c". Template arguments may end in " > ", too.
std::vector<std::string_view> SplitPath(std::string_view path);

// The call paths in the rows of a table; a name is a path of one. Those that would look alike show where they differ.
class ShortPaths {
 public:
  explicit ShortPaths(const Terminal& terminal) : terminal_(terminal) {}

  // Returns the row. The names stay the caller's.
  size_t Add(std::vector<std::string_view> names);
  // The same for "a > b > c", and for a name as it is. These stay here.
  size_t AddPath(std::string path);
  size_t AddName(std::string name);
  std::string At(size_t row, size_t width);

 private:
  const Terminal terminal_;
  std::deque<std::string> kept_;
  std::vector<std::vector<std::string_view>> paths_;
  // All rows in a column of that width, each by itself; and the rows that look so.
  size_t width_ = 0;
  std::vector<std::string> plain_;
  std::unordered_map<std::string, std::vector<size_t>> rows_of_;
};

}  // namespace epik::view

#endif  // EPIK_VIEW_NAME_H_
