// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and call paths in as much room as there is.
#ifndef EPIK_VIEW_NAME_H_
#define EPIK_VIEW_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "view/terminal.h"

namespace epik::view {

// All of these take names as they are and give what is safe to show, at most `width` columns.

// Parameter lists go first, then template arguments, then the middle.
std::string ShortName(std::string_view name, size_t width, const Terminal& terminal);

// The same for several names side by side. Those that would look alike show where they differ: `Sum<…double…>`.
std::vector<std::string> ShortNames(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal);

// "a > b > c": names are shortened, and callers left out from the left.
std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Terminal& terminal);

}  // namespace epik::view

#endif  // EPIK_VIEW_NAME_H_
