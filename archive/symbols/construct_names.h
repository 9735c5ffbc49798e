// SPDX-License-Identifier: BSD-3-Clause
// What OpenMP constructs are called: `parallel @solver.c:42`, `for dynamic @solver.c:44`, the same with every compiler.
#ifndef EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_NAMES_H_
#define EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_NAMES_H_

#include <cstdint>
#include <string>

#include "archive/profile/profile.h"
#include "archive/symbols/symbols.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// Whether the construct is known by a call within a function, whose line is wanted, not that of the function.
bool IsCallOf(event::Construct construct);

// `solver.c:42`, or, where there is no line, `solve._omp_fn.0` or `solve+0x1c`.
std::string PlaceName(const symbols::Symbol& symbol, uint64_t address);

// Name, paradigm and role of a construct at a place; nothing for what is none.
void NameConstruct(event::Construct construct, const std::string& place, epitome::Region* region);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_NAMES_H_
