// SPDX-License-Identifier: BSD-3-Clause
// The data that each rank sent to each other rank: communication.csv of an archive.
#ifndef EPIK_REPORT_VIEWS_COMMUNICATION_H_
#define EPIK_REPORT_VIEWS_COMMUNICATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "report/views/sheet.h"
#include "view/terminal.h"

namespace epik::report {

struct Traffic {
  uint32_t from = 0, to = 0;
  uint64_t messages = 0, bytes = 0;
  bool operator==(const Traffic&) const = default;
};

// Reads "from,to,messages,bytes", with a line for each pair of ranks that exchanged messages. The error names the line.
bool ParseCommunication(const std::string& text, std::vector<Traffic>* traffic, std::string* error);

// Draws numbers if they fit, or else a character for each pair or block of ranks: the darker, the more bytes.
std::string DrawMatrix(const std::vector<Traffic>& traffic, size_t ranks, const view::Terminal& terminal);

Sheet MatrixSheet(const std::vector<Traffic>& traffic);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_COMMUNICATION_H_
