// SPDX-License-Identifier: BSD-3-Clause
// The functions of a program or library that are measured, before any of them was called.
#ifndef EPIK_ARCHIVE_SYMBOLS_FUNCTIONS_H_
#define EPIK_ARCHIVE_SYMBOLS_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace epik::symbols {

struct Functions {
  bool instrumented = false;     // it calls the hooks; without, nothing more is read
  bool stripped = false;         // only what it exports has a name
  std::vector<uint64_t> starts;  // as offsets are given to Module, ascending
};

// False, and why in *error, when the file cannot be read.
bool ListFunctions(const std::string& path, Functions* functions, std::string* error);

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_FUNCTIONS_H_
