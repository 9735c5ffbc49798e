// SPDX-License-Identifier: BSD-3-Clause
// Lists the instrumented functions of a program or library before any of them is called. Filters, groups and named
// functions need their addresses at the start.
#ifndef EPIK_ARCHIVE_SYMBOLS_FUNCTIONS_H_
#define EPIK_ARCHIVE_SYMBOLS_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace epik::symbols {

struct Functions {
  bool instrumented = false;     // the file calls the hooks; otherwise nothing else is read
  bool stripped = false;         // only exported functions have names
  std::vector<uint64_t> starts;  // as offsets for Module, ascending
};

// Returns false, with the reason in *error, when the file cannot be read.
bool ListFunctions(const std::string& path, Functions* functions, std::string* error);

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_FUNCTIONS_H_
