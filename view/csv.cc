// SPDX-License-Identifier: BSD-3-Clause
#include "view/csv.h"

#include <algorithm>
#include <string>

#include "view/text.h"

namespace epik::view {
namespace {

bool protects = true;

// As UTF-8, which the file is. Line ends and other ASCII stay, since a cell may have any.
std::string Repaired(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  std::string good;
  for (auto at = text.begin(); at != text.end();) {
    const auto other = std::find_if_not(at, text.end(), is_ascii), next = std::find_if(other, text.end(), is_ascii);
    good.append(at, other).append(Printable(std::string_view(other, next)));
    at = next;
  }
  return good;
}

}  // namespace

void ProtectSpreadsheets(bool on) { protects = on; }

std::string CsvText(std::string_view text) {
  const std::string good = Repaired(text);
  const bool is_formula = protects && !good.empty() && std::string_view("=+-@\t\r").find(good[0]) != good.npos;
  const std::string guard = is_formula ? "'" : "";
  if (good.find_first_of(",\"\r\n") == good.npos) return guard + good;
  std::string out = "\"" + guard;
  for (char c : good) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace epik::view
