// SPDX-License-Identifier: BSD-3-Clause
// EPK_FILTER while the program runs. Names are resolved at the start, and for libraries that come later before the
// first of their functions is measured; the hooks know numbers alone (filter_hot.h).
#ifndef EPIK_RUNTIME_EPISODE_FILTER_H_
#define EPIK_RUNTIME_EPISODE_FILTER_H_

#include <cstdint>
#include <string>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// Reads the filter and looks at all modules. What is wrong is said, and everything measured. `groups`: EPK_GROUPS, a
// word a line. REQUIRES: inside.
void StartFilter(const std::string& path, const std::string& groups, bool patch);

// The hooks ask for a table alone, before they ask for anything else: whoever wants to see each event needs one, if
// only an empty one. False: no memory. REQUIRES: inside.
bool EnsureFilterTable(bool patch);

// EPK_DEPTH, 0: none. After StartFilter. REQUIRES: inside.
void StartDepth(uint32_t limit);

// Of a function on a path that is new: whether its library has just come, and its filter takes the function out.
// REQUIRES: HasFilter(), inside.
bool IsFilteredWhenNew(event::Key key);

// A hook that was called for a filtered function: this call need not come again.
EPIK_COLD void PatchFiltered(event::Key key, uint64_t stack, bool is_enter);

// For a region that is being defined. Paradigms that are not filtered: false.
bool RegionIsOut(const char* name, const char* file, event::Role role, event::Paradigm paradigm);
void FilterKey(event::Key key);
// Of a single construct of OpenMP ("barrier @solver.c:42").
bool FilterHasOut(const char* construct);

// The module whose code was between these addresses is gone.
void ForgetFiltered(uint64_t begin, uint64_t end, uint64_t bias);

// Says into the archive what was filtered.
void NoteFilter();

// In a forked child: no thread of the parent holds a lock here.
void ForgetFilterLocks();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_FILTER_H_
