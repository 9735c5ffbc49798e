// SPDX-License-Identifier: BSD-3-Clause
// A cell of a CSV file (RFC 4180).
#ifndef EPIK_VIEW_CSV_H_
#define EPIK_VIEW_CSV_H_

#include <string>
#include <string_view>

namespace epik::view {

// A spreadsheet takes text that begins with = + - @ for a formula, and a name may be any text. An apostrophe before it
// says that it is text. It is on from the start; `epk report --csv-safe=off` is for programs that read the names.
void ProtectSpreadsheets(bool on);

// The text as a cell, with quotes if it needs them.
std::string CsvText(std::string_view text);

}  // namespace epik::view

#endif  // EPIK_VIEW_CSV_H_
