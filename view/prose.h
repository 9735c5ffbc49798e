// SPDX-License-Identifier: BSD-3-Clause
// Sentences broken into lines. A figure stays with its unit, and what stands in `backquotes` in one piece.
#ifndef EPIK_VIEW_PROSE_H_
#define EPIK_VIEW_PROSE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace epik::view {

// Lines of at most `width` columns, broken at spaces; a word that is longer stands alone and is not cut.
std::vector<std::string> Wrap(std::string_view text, size_t width);

// `first`, then the text; lines after the first begin with `indent` blanks. Ends with a line end.
std::string Wrapped(std::string_view first, std::string_view text, size_t indent, size_t width);

// "label      text" as in the header of a report.
std::string Labelled(std::string_view label, std::string_view text, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_PROSE_H_
