// SPDX-License-Identifier: BSD-3-Clause
// Selects the functions that get hooks, by name and file. Knows nothing of compilers.
#ifndef EPIK_ADAPTERS_COMPILER_AFTER_INLINING_SELECTION_H_
#define EPIK_ADAPTERS_COMPILER_AFTER_INLINING_SELECTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "config/filter.h"

namespace epik::after_inlining {

class Selection {
 public:
  // A list in the form of gcc's own options: `a,b\,c`. Leaves out all functions of files whose path contains one of
  // these texts.
  void LeaveOut(std::string_view list);

  // Reads the filter that the run would use. False when it cannot be read. `epk instrument` has already told about
  // errors in it.
  bool ReadFilter(const std::string& path);

  // name: the function's name in reports; empty: it follows from the symbol. symbol: the linker's name. file: the
  // absolute path in debug information.
  bool Measures(std::string name, const std::string& symbol, const std::string& file) const;

 private:
  std::vector<std::string> left_out_;
  config::Filter filter_;
};

// A body that the compiler made of an OpenMP or OpenACC construct, or of a loop that it made parallel. It is no
// function of the program; the adapter has a region for it.
bool IsOutlined(std::string_view symbol);

// Whether the compiler made the function `piece` of a part of `function`:
// - `f.part.0` of `f` or of a copy of it, `f.constprop.1`: the beginning of f was inlined, and the rest was not;
// - with -Os, the common body of the constructors of a complete object and of a base: `_ZN1SC4Ev` of `_ZN1SC1Ev`.
bool IsPieceOf(std::string_view piece, std::string_view function);

// Whether both are a constructor, or a destructor, of one class, and `base` is the one for a base: `_ZN1SC2Ev` beside
// `_ZN1SC1Ev`.
bool IsBaseStructor(std::string_view base, std::string_view complete);

}  // namespace epik::after_inlining

#endif  // EPIK_ADAPTERS_COMPILER_AFTER_INLINING_SELECTION_H_
