// SPDX-License-Identifier: BSD-3-Clause
// This file is apart from number.cc: the library for the end of a program links that file, and does not need the tables
// of to_chars.
#include "view/exact.h"

#include <charconv>
#include <cmath>

namespace epik::view {

std::string RoundTrip(double value, std::string_view otherwise) {
  if (!std::isfinite(value)) return std::string(otherwise);
  if (value == 0) return "0";  // not "-0"
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace epik::view
