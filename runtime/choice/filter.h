// SPDX-License-Identifier: BSD-3-Clause
// EPK_FILTER while the program runs. Names are resolved at the start, and for libraries that come later before the
// first of their functions is measured (selector.h); the hooks know numbers alone (filter_hot.h).
#ifndef EPIK_RUNTIME_CHOICE_FILTER_H_
#define EPIK_RUNTIME_CHOICE_FILTER_H_

#include <cstdint>
#include <string>

#include "runtime/base/compiler.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Reads the filter and looks at all modules. If the filter cannot be read, says so, and everything is measured.
// `groups`: EPK_GROUPS, a word a line. REQUIRES: inside.
void StartFilter(const std::string& path, const std::string& groups, bool patch);

bool HasFilter();
// Whether the filter names single constructs of OpenMP ("barrier @solver.c:42"), and whether it excludes a given one.
bool FilterNamesConstructs();
bool FilterHasOut(const char* construct);
// Whether the filter excludes a function, user region or phase; false for other regions.
bool FilterHasOut(const episode::DefinedRegion& region);

// Searches the libraries that were loaded since.
void FilterNewModules();
void FilterKey(event::Key key);

// Calls of hooks in filtered functions may be patched out (patch.h). The second function: such a call came for this
// key, and should not come again.
void AllowPatching();
EPIK_COLD void PatchFiltered(event::Key key, uint64_t stack, bool is_enter);

// The module with code between these addresses was unloaded.
void ForgetFiltered(uint64_t begin, uint64_t end, uint64_t bias);

extern const episode::Part filter_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_FILTER_H_
