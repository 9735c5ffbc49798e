// SPDX-License-Identifier: BSD-3-Clause
// From what the compiler calls a function to what its author calls it. Pure functions of text.
#ifndef EPIK_ARCHIVE_SYMBOLS_NAMES_H_
#define EPIK_ARCHIVE_SYMBOLS_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace epik::symbols {

// `_ZN1S1mEi` → `S::m(int)`; what is not a C++ name is returned as it is.
std::string Demangle(const std::string& mangled);

// The name without the suffixes by which compilers mark copies and parts of one function:
// `.constprop.0 .isra.0 .part.0 .cold .lto_priv.0 .llvm.1234 .localalias .clone.0 .__uniq.1234` and ` [clone …]`.
std::string_view FoldClone(std::string_view symbol);

// A body that the compiler made of an OpenMP construct: `f._omp_fn.0` (GCC), `.omp_outlined.` and its kin (LLVM).
bool IsOmpOutlined(std::string_view mangled);

// `f._omp_fn.0.cold` → `._omp_fn.0.cold`; empty when there is no OpenMP body.
std::string_view OmpSuffix(std::string_view mangled);

// The symbol of the function that contains the construct, folded: `f.isra.0._omp_fn.1` → `f`.
// Empty when the symbol does not tell (LLVM before 17).
std::string OmpParent(std::string_view mangled);

// gfortran's `__module_MOD_procedure` → `module::procedure`, as gdb shows it; empty for everything else.
std::string FortranModuleName(std::string_view symbol);

// What a report shows: folded (if asked for), module procedures and C++ names decoded, the OpenMP suffix kept.
std::string ReadableName(const std::string& symbol, bool fold_clones);

// For columns: std::__cxx11::basic_string<char, …> → std::string, and the inline namespace __cxx11 left out.
std::string Pretty(std::string demangled);

// `libx.so+0x1234`: how an address without a name is called.
std::string Unresolved(std::string_view module_path, uint64_t offset);

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_NAMES_H_
