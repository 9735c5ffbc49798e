// SPDX-License-Identifier: BSD-3-Clause
// Macros of C that make directives of OpenMP: `#define EACH _Pragma("omp parallel for")`, and those that make strings
// from their arguments, `#define OMP(x) _Pragma(#x)`. Compilers give the directives of a macro the line where the macro
// is used. Conditions of the preprocessor are not known: if there are several definitions, the last one before the use
// counts.
#ifndef EPIK_ARCHIVE_SYMBOLS_MACROS_H_
#define EPIK_ARCHIVE_SYMBOLS_MACROS_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace epik::symbols {

class Macros {
 public:
  // `line`: a whole logical line, without the backslashes of its parts. Returns false when it neither defines a macro
  // nor undefines one.
  bool Take(std::string_view line);

  // Whether the code uses a macro with arguments, or `_Pragma`.
  bool MayGoOn(std::string_view code) const;

  // Returns the texts of the directives in this code, without `omp`, in their order. `end`: the end of the last of
  // them, or of the use of its macro. Without macros, it finds the `_Pragma("omp …")` of the code itself.
  std::vector<std::string> In(std::string_view code, size_t* end) const;

 private:
  struct Macro {
    bool has_parameters = false;
    std::vector<std::string> parameters;
    std::string body;
  };

  struct Search;

  void Collect(std::string_view code, Search* search, size_t* end) const;
  std::string OfPragma(const std::string& argument) const;
  static std::string Expand(const Macro& macro, const std::vector<std::string>& arguments);

  std::map<std::string, Macro, std::less<>> macros_;
  bool make_directives_ = false;  // any of them: most programs have none, and their code need not be searched
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_MACROS_H_
