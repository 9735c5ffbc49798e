// SPDX-License-Identifier: BSD-3-Clause
// Names of OpenMP constructs: `parallel @solver.c:42`, `for dynamic @solver.c:44`. Every compiler gets the same names.
#ifndef EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_NAMES_H_
#define EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_NAMES_H_

#include <cstdint>
#include <string>

#include "archive/profile/profile.h"
#include "archive/symbols/construct_places.h"
#include "archive/symbols/symbols.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// Whether an address of this construct is a call inside a function. If so, the line of the call is wanted, not that of
// the function.
bool IsCallOf(event::Construct construct);

// `solver.c:42`; with a column if the place has one. Without debug information `solve._omp_fn.0` or `solve+0x1c`.
std::string PlaceName(const ConstructPlace& place, const symbols::Symbol& symbol, uint64_t address);

// Sets name, paradigm and role of a construct: `critical(name) @solver.c:42`. `where` is its PlaceName. If `construct`
// is not a construct, nothing changes.
void NameConstruct(event::Construct construct, const std::string& name, const std::string& where, Region* region);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_SYMBOLS_CONSTRUCT_NAMES_H_
