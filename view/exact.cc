// SPDX-License-Identifier: BSD-3-Clause
// Apart from number.cc: the library that ends a program links that one, and has no use for the tables of to_chars.
#include "view/exact.h"

#include <charconv>
#include <cmath>

namespace epik::view {

std::string RoundTrip(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";  // no "-0"
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace epik::view
