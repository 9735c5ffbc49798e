// SPDX-License-Identifier: BSD-3-Clause
// Asks DWARF for a function's file and line and, for Fortran, the name in the source.
#ifndef EPIK_ARCHIVE_SYMBOLS_DEBUG_INFO_H_
#define EPIK_ARCHIVE_SYMBOLS_DEBUG_INFO_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/symbols/function_code.h"

namespace epik::symbols {

// The bytes of debug information that may still be read. It bounds how long a large program waits at its end. A unit is
// read as a whole or not at all, in the order of the questions, so the same questions always get the same answers.
struct Budget {
  uint64_t bytes = ~uint64_t{0};
};

struct SourceFunction {
  std::string linkage_name;  // the symbol, or the plain name if it has no symbol
  std::string fortran_name;  // `module::procedure`; empty unless the unit is Fortran
  std::string file;
  int line = -1;
  int end_line = -1;
  uint64_t start = 0;
  bool found = false;
  bool left_out = false;  // the budget did not allow the search
};

// Reads only the compilation units with addresses that are asked for, and each of them once.
class DebugInfo {
 public:
  // Returns null when there is no usable DWARF, or no libdw. `elf` must outlive the object.
  static std::unique_ptr<DebugInfo> Open(Elf* elf);
  ~DebugInfo();
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  SourceFunction Find(uint64_t address, bool end_lines, Budget* budget);

  // Finds the places of the call at this address, the innermost function first. The result is empty when DWARF has
  // none.
  std::vector<CodePlace> FindPlaces(uint64_t address);

 private:
  struct Function {
    uint64_t low, high;
    Dwarf_Die die;
    int scope;  // index into Unit::scopes, -1: none
  };
  struct Scope {
    std::string name;
    int parent;
  };
  struct Unit {
    Dwarf_Die die;
    bool fortran = false;
    bool lines_allowed = false;                             // the budget allows its line table
    std::vector<Function> functions;                        // by low
    std::vector<Scope> scopes;                              // Fortran modules and procedures that contain others
    std::shared_ptr<const std::vector<std::string>> files;  // of its table; null: not read yet
  };
  struct Range {
    uint64_t low, high;
    Dwarf_Off unit;
  };
  struct Walk;

  explicit DebugInfo(Dwarf* dwarf) : dwarf_(dwarf) {}
  // Returns null when there is no function, or when the budget does not allow the search.
  const Function* FindFunction(uint64_t address, Budget* budget, Unit** unit, bool* left_out);
  static bool AllowLines(Unit* unit, Budget* budget);
  Unit* Load(Dwarf_Die skeleton, Budget* budget);  // null: the budget does not allow it
  void ReadRanges();
  void ReadFunctions(Dwarf_Die* parent, Walk* walk, int scope, bool in_function, int depth);
  void AddFunction(Dwarf_Die* die, Unit* unit, int scope);
  void Describe(const Function& function, Unit* unit, SourceFunction* out);

  Dwarf* dwarf_;
  std::unordered_map<Dwarf_Off, std::unique_ptr<Unit>> units_;
  std::vector<Range> ranges_;  // of all units, by low
  bool has_ranges_ = false;
  CodePlaces places_;
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_DEBUG_INFO_H_
