// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace epik::symbols {
namespace {

// The marks at which the name of the parent ends: loop bodies, task bodies and task copiers of GCC, bodies of LLVM.
constexpr std::string_view kOmpMarks[] = {"._omp_fn.", "._omp_cpyfn.", ".omp_outlined", ".omp_task_entry"};

// Demangling a longer name costs more than the name is worth: a hostile name can take minutes.
constexpr size_t kMaxMangled = size_t{32} * 1024;

bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return isdigit(c) != 0; });
}

// Whether `.<tag>` marks a copy or a part of a function, and not a function of its own.
bool IsCloneTag(std::string_view tag) {
  static constexpr std::string_view kTags[] = {"constprop", "isra",       "part",  "cold",  "lto_priv",
                                               "llvm",      "localalias", "clone", "__uniq"};
  return std::find(std::begin(kTags), std::end(kTags), tag) != std::end(kTags);
}

// Drops one `.tag` or `.tag.N`; returns false if the symbol does not end with a tag.
bool DropCloneSuffix(std::string_view* symbol) {
  std::string_view rest = *symbol;
  size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  if (IsNumber(rest.substr(dot + 1))) {
    rest = rest.substr(0, dot);
    dot = rest.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return false;
  }
  if (!IsCloneTag(rest.substr(dot + 1))) return false;
  *symbol = rest.substr(0, dot);
  return true;
}

bool DropCloneNote(std::string_view* text) {
  constexpr std::string_view kNote = " [clone ";
  if (text->empty() || text->back() != ']') return false;
  const size_t at = text->rfind(kNote);
  if (at == std::string_view::npos || at == 0) return false;
  *text = text->substr(0, at);
  return true;
}

// Finds the outermost mark: nested constructs add theirs behind it.
size_t FindOmpMark(std::string_view symbol) {
  size_t first = std::string_view::npos;
  for (const std::string_view mark : kOmpMarks) first = std::min(first, symbol.find(mark));
  return first;
}

bool IsLower(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](unsigned char c) { return isupper(c) != 0; });
}

}  // namespace

std::string Demangle(const std::string& mangled) {
  if (mangled.compare(0, 2, "_Z") != 0 || mangled.size() > kMaxMangled) return mangled;
  int status = -1;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : mangled;
}

std::string_view FoldClone(std::string_view symbol) {
  while (DropCloneSuffix(&symbol) || DropCloneNote(&symbol)) {
  }
  return symbol;
}

bool IsOmpOutlined(std::string_view mangled) { return FindOmpMark(mangled) != std::string_view::npos; }

std::string_view OmpSuffix(std::string_view mangled) {
  const size_t mark = FindOmpMark(mangled);
  return mark == std::string_view::npos ? std::string_view() : mangled.substr(mark);
}

std::string FortranModuleName(std::string_view symbol) {
  constexpr std::string_view kMark = "_MOD_";
  if (symbol.substr(0, 2) != "__") return "";
  const size_t mark = symbol.find(kMark, 2);
  if (mark == std::string_view::npos) return "";
  const std::string_view module = symbol.substr(2, mark - 2);
  const std::string_view procedure = symbol.substr(mark + kMark.size());
  // gfortran writes names in small letters: other names are C names that look alike.
  if (!IsLower(module) || !IsLower(procedure)) return "";
  return std::string(module) + "::" + std::string(procedure);
}

std::string ReadableName(const std::string& symbol, bool fold_clones) {
  const size_t omp = FindOmpMark(symbol);
  if (omp != std::string::npos && omp > 0) {
    const std::string_view suffix = std::string_view(symbol).substr(omp);
    return ReadableName(symbol.substr(0, omp), fold_clones) + std::string(fold_clones ? FoldClone(suffix) : suffix);
  }
  const std::string base(fold_clones ? FoldClone(symbol) : std::string_view(symbol));
  // gcc's initialisation of a file's statics has the name of the first function or variable there.
  constexpr std::string_view kOfStatics = "_GLOBAL__sub_I_";
  if (base.starts_with(kOfStatics)) return std::string(kOfStatics) + Demangle(base.substr(kOfStatics.size()));
  std::string fortran = FortranModuleName(base);
  return fortran.empty() ? Demangle(base) : fortran;
}

std::string Unresolved(std::string_view module_path, uint64_t offset) {
  const size_t slash = module_path.rfind('/');
  const std::string_view base = slash == std::string_view::npos ? module_path : module_path.substr(slash + 1);
  char digits[16];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, offset, 16);
  return std::string(base.empty() ? "?" : base) + "+0x" + std::string(digits, end.ptr);
}

}  // namespace epik::symbols
