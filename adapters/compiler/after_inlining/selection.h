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
  // A list as gcc's own options take it: `a,b\,c`. Whatever lies in a file whose path contains one of them is left out.
  void LeaveOut(std::string_view list);

  // The filter that the run would take. False when it cannot be read; what is wrong in it `epk instrument` has said.
  bool ReadFilter(const std::string& path);

  // name: what a report will call it; empty: what follows from the symbol. symbol: as the linker will know it.
  // file: absolute, as debug information names it.
  bool Measures(std::string name, const std::string& symbol, const std::string& file) const;

 private:
  std::vector<std::string> left_out_;
  config::Filter filter_;
};

// A body that the compiler made of an OpenMP or OpenACC construct, or a loop it made parallel: no function of the
// program, its region is the adapter's.
bool IsOutlined(std::string_view symbol);

// Whether `piece` is a part of `function` that the compiler made a function of its own:
// - `f.part.0` of `f` or of a copy of it, `f.constprop.1`: the beginning of f was inlined, and the rest was not;
// - with -Os, the common body of the constructors of a complete object and of a base: `_ZN1SC4Ev` of `_ZN1SC1Ev`.
bool IsPieceOf(std::string_view piece, std::string_view function);

// Whether both are a constructor, or a destructor, of one class, and `base` is the one for a base: `_ZN1SC2Ev` beside
// `_ZN1SC1Ev`.
bool IsBaseStructor(std::string_view base, std::string_view complete);

}  // namespace epik::after_inlining

#endif  // EPIK_ADAPTERS_COMPILER_AFTER_INLINING_SELECTION_H_
