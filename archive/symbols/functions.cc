// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/functions.h"

#include "archive/symbols/elf_file.h"

namespace epik::symbols {

bool ListFunctions(const std::string& path, Functions* functions, std::string* error) {
  const std::unique_ptr<ElfFile> file = ElfFile::Open(path, error);
  if (file == nullptr) return false;
  const SymbolTable table(*file);
  functions->instrumented = table.Wants("__cyg_profile_func_enter") || table.Wants("__wrap___cyg_profile_func_enter");
  functions->stripped = !file->has_symtab();
  if (functions->instrumented) functions->starts = table.Starts();
  return true;
}

}  // namespace epik::symbols
