// SPDX-License-Identifier: BSD-3-Clause
// Visits the instrumented functions of a program or library by name, for filters, groups and named functions.
#ifndef EPIK_ARCHIVE_ANSWERS_EACH_FUNCTION_H_
#define EPIK_ARCHIVE_ANSWERS_EACH_FUNCTION_H_

#include <memory>
#include <string>
#include <vector>

#include "archive/symbols/functions.h"
#include "archive/symbols/symbols.h"

namespace epik::archive {

// Calls visit(symbol, start) for each function that has a name. *stripped becomes true when only exported functions
// have names.
template <class Visit>
void ForEachFunction(const std::string& path, bool* stripped, Visit visit) {
  symbols::Functions functions;
  std::string error;
  *stripped = false;
  if (!symbols::ListFunctions(path, &functions, &error) || !functions.instrumented) return;
  *stripped = functions.stripped;
  const std::unique_ptr<symbols::Module> module = symbols::Module::Open(path, "", &error);
  if (module == nullptr) return;
  const std::vector<symbols::Symbol> all = module->ResolveAll(functions.starts);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].found) visit(all[i], functions.starts[i]);
  }
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_ANSWERS_EACH_FUNCTION_H_
