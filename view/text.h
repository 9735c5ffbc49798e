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

// Safe to show whoever wrote it: control characters, broken UTF-8, and characters that are not seen but change how
// others are read (direction overrides, joiners, marks of order) become '?'.
std::string Printable(std::string_view text);

enum class Cut : unsigned char { kEnd, kMiddle, kStart };

// At most `width` columns; what was cut is marked by `mark`. kMiddle keeps both ends, kStart the end.
std::string Shorten(std::string_view text, size_t width, Cut cut = Cut::kEnd, std::string_view mark = "…");

// Text of exactly `width` columns where it is shorter; unchanged where it is not.
std::string PadRight(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_TEXT_H_
