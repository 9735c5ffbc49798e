// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/named_functions.h"

#include <memory>
#include <string>
#include <vector>

#include "config/filter.h"
#include "runtime/archive/guarded.h"
#include "runtime/symbols/functions.h"
#include "runtime/symbols/symbols.h"

namespace epik::archive {
namespace {

void FindNamed(const char* glob, const std::string& path, uint64_t bias, void (*found)(uint64_t)) {
  symbols::Functions functions;
  std::string error;
  if (!symbols::ListFunctions(path, &functions, &error) || !functions.instrumented) return;
  const std::unique_ptr<symbols::Module> module = symbols::Module::Open(path, "", &error);
  if (module == nullptr) return;
  const std::vector<symbols::Symbol> all = module->ResolveAll(functions.starts);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].found) continue;
    const bool is_it =
        config::GlobMatches(glob, all[i].name) || config::GlobMatches(glob, config::QualifiedName(all[i].name));
    if (is_it) found(bias + functions.starts[i]);
  }
}

}  // namespace
}  // namespace epik::archive

void epik_functions_named(const char* glob, const char* path, uint64_t bias, void (*found)(uint64_t)) {
  std::string error;
  epik::archive::Guarded(&error, [&] {
    epik::archive::FindNamed(glob, path, bias, found);
    return true;
  });
}
