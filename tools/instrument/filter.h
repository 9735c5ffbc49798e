// SPDX-License-Identifier: BSD-3-Clause
//
// Turns a filter into the compiler's own options.
#ifndef EPIK_TOOLS_INSTRUMENT_FILTER_H_
#define EPIK_TOOLS_INSTRUMENT_FILTER_H_

#include <string>
#include <string_view>

#include "tools/instrument/words.h"

namespace epik::instrument {

// The parts of a filter (config/filter.h) that a build can apply. gcc's exclude lists can express some rules. Our
// plugin can apply all except the rules about programs and libraries, which do not exist yet during compilation.
struct Filter {
  Words functions;             // text to be found in a function's qualified name
  Words files;                 // text to be found in a file's path
  Words inexpressible;         // rules that gcc cannot express: the run's filter handles them
  Words objects;               // rules about programs and libraries
  bool keeps_objects = false;  // one of them is an INCLUDE: a build cannot decide about the rules above it
  Words problems;              // ":3:9: problem", one for each line that could not be understood
};
Filter ParseFilter(std::string_view text);

// OPTION=a,b\,c: commas inside a name are gcc's list separator otherwise.
std::string JoinForGcc(std::string_view option, const Words& names);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_FILTER_H_
