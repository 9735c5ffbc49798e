// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and call paths in the room that there is.
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

// All these functions take unchanged names. They return text that is safe to show, of at most `width` columns.

// Parameter lists go first, then template arguments, then the middle.
std::string ShortName(std::string_view name, size_t width, const Terminal& terminal);

// The same for several names beside each other. Names that would look alike show the part in which they differ:
// `Sum<double>(…)`.
std::vector<std::string> ShortNames(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal);

// "a > b > c": names are shortened, and callers are left out from the left.
std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal);

// The names in "a > b > c". Template arguments may also end in " > ".
std::vector<std::string_view> SplitPath(std::string_view path);

// The call paths in the rows of a table; a name is a path with one element. Paths that would look alike show the part
// in which they differ, or how many callers are left out.
class ShortPaths {
 public:
  explicit ShortPaths(const Terminal& terminal) : terminal_(terminal) {}

  // Returns the row. The caller keeps the texts of the names.
  size_t Add(std::vector<std::string_view> names);
  // Does the same for "a > b > c", and for a single name. This object keeps their texts.
  size_t AddPath(std::string path);
  size_t AddName(std::string name);
  std::string At(size_t row, size_t width);

 private:
  const Terminal terminal_;
  std::deque<std::string> kept_;
  std::vector<std::vector<std::string_view>> paths_;
  // All rows in a column of that width, each shortened by itself; and for each text the first different paths that look
  // so.
  size_t width_ = 0;
  std::vector<std::string> plain_;
  std::unordered_map<std::string, std::vector<size_t>> rows_of_;
};

}  // namespace epik::view

#endif  // EPIK_VIEW_NAME_H_
