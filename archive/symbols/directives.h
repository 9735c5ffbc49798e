// SPDX-License-Identifier: BSD-3-Clause
// Finds OpenMP's directives in the text of a source file: `#pragma omp …`, `_Pragma("omp …")`, `!$omp …`, `c$omp …`. It
// does not know which lines the preprocessor leaves out. It knows macros that make directives.
#ifndef EPIK_ARCHIVE_SYMBOLS_DIRECTIVES_H_
#define EPIK_ARCHIVE_SYMBOLS_DIRECTIVES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace epik::symbols {

struct Directive {
  struct Word {
    std::string name;
    std::string operand;  // the text in parentheses after it, without blanks
  };
  int line = 0;             // where it begins
  int last_line = 0;        // where it ends
  int statement = 0;        // where the statement after it begins
  int end = 0;              // where that statement ends
  std::vector<Word> words;  // of the directive and its clauses

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  const Word* Find(std::string_view name) const;
};

bool IsFortran(std::string_view path);

// Gives the text of a file that the source includes; returns false when the file cannot be read. `quoted`: by "name",
// not by <name>.
using ReadIncluded = std::function<bool(const std::string& name, bool quoted, std::string* text)>;

// Returns the directives in the order of their lines. A directive that a macro makes has the line where the macro is
// used.
std::vector<Directive> FindDirectives(std::string_view text, bool fortran, const ReadIncluded& read = nullptr);

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_DIRECTIVES_H_
