// SPDX-License-Identifier: BSD-3-Clause
// Where in the source a call is, as a function around it sees it. Compilers give many of the calls that they make out
// of OpenMP's directives no line of their own. Such a call has the line of the code before it, which may be that of an
// inlined function; the code after it tells more.
#ifndef EPIK_ARCHIVE_SYMBOLS_CODE_PLACE_H_
#define EPIK_ARCHIVE_SYMBOLS_CODE_PLACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace epik::symbols {

// A call within one function. All lines are those of this function: what was inlined into it has the line of its call.
struct CodePlace {
  std::string file;
  int line = -1;
  int column = 0;
  int next_line = -1;  // of the first code after the call that has another line; -1: none
  int first_line = -1;
  int last_line = -1;
  uint64_t function = 0;  // where its code begins
  // The files that debug information names for the function's unit. They are never null where a place was found.
  std::shared_ptr<const std::vector<std::string>> files = {};
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_CODE_PLACE_H_
