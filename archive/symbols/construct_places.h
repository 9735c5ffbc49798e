// SPDX-License-Identifier: BSD-3-Clause
// Finds the directive in the source that a construct comes from. Debug information only gives a line near its call. So
// the source is read, if it is there and not newer than the program.
#ifndef EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_PLACES_H_
#define EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_PLACES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "archive/symbols/critical_names.h"
#include "archive/symbols/directives.h"
#include "archive/symbols/symbols.h"
#include "runtime/event/layout.h"

namespace epik::archive {

struct ConstructPlace {
  ConstructPlace() = default;
  ConstructPlace(event::Construct kind, std::string path, int number)
      : construct(kind), file(std::move(path)), line(number) {}

  event::Construct construct = event::Construct::kNone;
  std::string file;
  int line = -1;     // of the directive; of the call, when the directive is not known
  int column = 0;    // for a directive that may share its line with others of its kind
  std::string name;  // of `critical(name)`
  // The line of the barrier behind a `single nowait`, which the runtime cannot distinguish from the end of a `single`;
  // or -1.
  int barrier_line = -1;
  // If the line is only that of the next directive behind the code before the call: that code, and the lines of all
  // directives of the kind behind it. Calls of one function after the same code have the order of these lines.
  uint64_t function = 0;
  int call_line = -1;
  std::vector<int> following;
};

class ConstructPlaces {
 public:
  // Finds the place of a construct whose call is at `address`. `symbol` is the answer of the symbols of `program` for
  // this address.
  ConstructPlace Find(event::Construct construct, const symbols::Symbol& symbol, uint64_t address,
                      const std::string& program);

 private:
  const std::vector<symbols::Directive>& In(const symbols::CodePlace& place, const std::string& program);

  ConstructPlace InSource(event::Construct construct, const symbols::Symbol& symbol, uint64_t address,
                          const std::string& program);

  std::map<std::string, std::vector<symbols::Directive>> files_;
  symbols::CriticalNames critical_names_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_PLACES_H_
