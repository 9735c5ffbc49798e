// SPDX-License-Identifier: BSD-3-Clause
// Breaks sentences into lines. A figure stays with its unit, and text in `backquotes` stays together.
#ifndef EPIK_VIEW_PROSE_H_
#define EPIK_VIEW_PROSE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace epik::view {

// Lines of at most `width` columns, broken at spaces. A longer word has a line of its own and is not cut.
std::vector<std::string> Wrap(std::string_view text, size_t width);

// `first`, then the text; later lines begin with `indent` blanks. The result ends with a line end.
std::string Wrapped(std::string_view first, std::string_view text, size_t indent, size_t width);

// "label      text" as in the header of a report.
std::string Labelled(std::string_view label, std::string_view text, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_PROSE_H_
