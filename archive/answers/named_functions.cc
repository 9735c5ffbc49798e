// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/abi/named_functions.h"

#include <string>

#include "archive/answers/each_function.h"
#include "archive/files/guarded.h"
#include "config/filter.h"
#include "config/words.h"

namespace epik::archive {
namespace {

void FindNamed(const char* glob, const std::string& path, uint64_t bias, void (*found)(uint64_t)) {
  bool stripped;
  ForEachFunction(path, &stripped, [&](const symbols::Symbol& symbol, uint64_t start) {
    const bool is_it =
        config::GlobMatches(glob, symbol.name) || config::GlobMatches(glob, config::QualifiedName(symbol.name));
    if (is_it) found(bias + start);
  });
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
