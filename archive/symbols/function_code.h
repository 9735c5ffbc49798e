// SPDX-License-Identifier: BSD-3-Clause
// The line tables of functions give the places of their calls in the source.
#ifndef EPIK_ARCHIVE_SYMBOLS_FUNCTION_CODE_H_
#define EPIK_ARCHIVE_SYMBOLS_FUNCTION_CODE_H_

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/symbols/code_place.h"

namespace epik::symbols {

// The line table of one function, inlined or not.
class FunctionCode {
 public:
  FunctionCode(Dwarf_Die function, Dwarf_Die unit);

  // Returns false when no line is known there.
  bool Find(uint64_t address, CodePlace* place) const;

  // The function that was inlined there; returns false if no function was inlined.
  bool InlinedAt(uint64_t address, Dwarf_Die* inlined) const;

 private:
  struct Row {
    uint64_t address;
    int line, column;
  };
  struct Inlined {
    uint64_t low, high;
    int call_line;
    Dwarf_Die die;
  };

  void FindInlined(Dwarf_Die* parent, int depth);
  void ReadRows(uint64_t low, uint64_t high, Dwarf_Die* unit);
  const Inlined* At(uint64_t address) const;

  std::string file_;
  std::vector<Row> rows_;
  std::vector<Inlined> inlined_;
  int first_line_ = -1, last_line_ = -1;
};

// The functions of one module that are asked for.
class CodePlaces {
 public:
  // Finds the places of the call at `address` in `function` and in the functions inlined there, the innermost first.
  std::vector<CodePlace> Find(uint64_t address, Dwarf_Die function, Dwarf_Die unit);

 private:
  std::map<const void*, FunctionCode> known_;  // by the entry in the debug information
};

// Finds the first row of a line table at the address or behind it.
size_t FirstRow(Dwarf_Lines* lines, size_t count, uint64_t low);

// Returns the file as an absolute path, or nothing for no file.
std::string Absolute(const char* file, Dwarf_Die* unit);

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_FUNCTION_CODE_H_
