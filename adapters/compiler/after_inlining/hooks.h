// SPDX-License-Identifier: BSD-3-Clause
// Calls of the hooks in a function's body, in gcc's own representation (GIMPLE).
#ifndef EPIK_ADAPTERS_COMPILER_AFTER_INLINING_HOOKS_H_
#define EPIK_ADAPTERS_COMPILER_AFTER_INLINING_HOOKS_H_

namespace epik::after_inlining {

// An enter at the beginning of gcc's current function, an exit on every way out of it, exceptions among them.
void InsertHooks();

// Whether the current function enters itself already: it was compiled with -finstrument-functions.
bool HasHooks();

}  // namespace epik::after_inlining

#endif  // EPIK_ADAPTERS_COMPILER_AFTER_INLINING_HOOKS_H_
