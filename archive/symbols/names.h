// SPDX-License-Identifier: BSD-3-Clause
// Turns the names of compilers and linkers into the names in the source. Pure functions of text.
#ifndef EPIK_ARCHIVE_SYMBOLS_NAMES_H_
#define EPIK_ARCHIVE_SYMBOLS_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace epik::symbols {

// `_ZN1S1mEi` → `S::m(int)`; any other name is returned unchanged.
std::string Demangle(const std::string& mangled);

// The name without the suffixes by which compilers mark copies and parts of one function: `.constprop.0 .isra.0 .part.0
// .cold .lto_priv.0 .llvm.1234 .localalias .clone.0 .__uniq.1234` and ` [clone …]`.
std::string_view FoldClone(std::string_view symbol);

// Whether the function is the body of an OpenMP construct, outlined by the compiler: `f._omp_fn.0` (GCC),
// `.omp_outlined.` and its kin (LLVM).
bool IsOmpOutlined(std::string_view mangled);

// `f._omp_fn.0.cold` → `._omp_fn.0.cold`; empty for any other function.
std::string_view OmpSuffix(std::string_view mangled);

// gfortran's `__module_MOD_procedure` → `module::procedure`, as gdb shows it; empty for everything else.
std::string FortranModuleName(std::string_view symbol);

// The name for reports: clones are folded if wanted, Fortran and C++ names are decoded, and the OpenMP suffix stays.
std::string ReadableName(const std::string& symbol, bool fold_clones);

// A name for an address without a symbol: `libx.so+0x1234`.
std::string Unresolved(std::string_view module_path, uint64_t offset);

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_NAMES_H_
