// SPDX-License-Identifier: BSD-3-Clause
// Text as a terminal shows it: its width in columns, cut or wrapped to fit. Archives are hostile input, so whatever
// could steer a terminal is taken out here.
#ifndef EPIK_VIEW_TEXT_H_
#define EPIK_VIEW_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace epik::view {

// Columns that UTF-8 text takes: wide characters count two, combining ones none, a broken byte one.
size_t Width(std::string_view text);

// Control characters and broken UTF-8 become '?': safe to print whoever wrote it.
std::string Clean(std::string_view text);

enum class Cut { kEnd, kMiddle };

// At most `width` columns; what was cut is marked by `mark`. kMiddle keeps both ends: paths, long C++ names.
std::string Shorten(std::string_view text, size_t width, Cut cut = Cut::kEnd, std::string_view mark = "…");

// Text of exactly `width` columns where it is shorter; unchanged where it is not.
std::string PadRight(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);

// Lines of at most `width` columns, broken at spaces; a word that is longer stands alone and is not cut.
std::vector<std::string> Wrap(std::string_view text, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_TEXT_H_
