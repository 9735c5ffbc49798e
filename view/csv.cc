// SPDX-License-Identifier: BSD-3-Clause
#include "view/csv.h"

namespace epik::view {
namespace {

bool protects = true;

}  // namespace

void ProtectSpreadsheets(bool on) { protects = on; }

std::string CsvText(std::string_view text) {
  const bool is_formula = protects && !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != text.npos;
  const std::string guard = is_formula ? "'" : "";
  if (text.find_first_of(",\"\r\n") == text.npos) return guard + std::string(text);
  std::string out = "\"" + guard;
  for (char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace epik::view
