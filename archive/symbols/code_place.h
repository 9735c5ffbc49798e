// SPDX-License-Identifier: BSD-3-Clause
// The place of a call in the source, as a function around it sees the call. Compilers give many of the calls that they
// make from OpenMP's directives no line of their own. Such a call has the line of the code before it, which may be that
// of an inlined function. The code after it tells more.
#ifndef EPIK_ARCHIVE_SYMBOLS_CODE_PLACE_H_
#define EPIK_ARCHIVE_SYMBOLS_CODE_PLACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace epik::symbols {

// A call within one function. All lines are those of this function: inlined code has the line of its call.
struct CodePlace {
  std::string file;
  int line = -1;
  int column = 0;
  int next_line = -1;  // line of the first code after the call with another line; -1: none
  int first_line = -1;
  int last_line = -1;
  uint64_t function = 0;  // where the function's code begins
  // The files that debug information names for the function's unit. Never null when a place was found.
  std::shared_ptr<const std::vector<std::string>> files = {};
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_CODE_PLACE_H_
