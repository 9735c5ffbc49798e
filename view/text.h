// SPDX-License-Identifier: BSD-3-Clause
// Text on a terminal: its width in columns, and how it is cut or wrapped to fit. Archives are hostile input, so all
// characters that could control a terminal are taken out here.
#ifndef EPIK_VIEW_TEXT_H_
#define EPIK_VIEW_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace epik::view {

// The columns of UTF-8 text: wide characters have two, combining ones none, a broken byte one.
size_t Width(std::string_view text);

// Text that is safe to show, whoever wrote it. Control characters, broken UTF-8, and invisible characters that change
// how others are read (direction overrides, joiners, marks of order) become '?'.
std::string Printable(std::string_view text);

enum class Cut : unsigned char { kEnd, kMiddle, kStart };

// Shortens to at most `width` columns; `mark` shows the cut. kMiddle keeps both ends, kStart the end.
std::string Shorten(std::string_view text, size_t width, Cut cut = Cut::kEnd, std::string_view mark = "…");

// Fills shorter text with blanks to exactly `width` columns; longer text stays unchanged.
std::string PadRight(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_TEXT_H_
