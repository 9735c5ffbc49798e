// SPDX-License-Identifier: BSD-3-Clause
// EPK_DEPTH (hooks.depth_limit): functions nested deeper are not measured; their time belongs to the innermost function
// that is. Below the limit, calls of MPI, OpenMP's constructs except tasks, and the user's own regions are still
// measured. Hooks ask only on the way of filters (EnterUnfiltered, ExitUnfiltered).
#ifndef EPIK_RUNTIME_CHOICE_DEPTH_H_
#define EPIK_RUNTIME_CHOICE_DEPTH_H_

#include <cstdint>

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Whether the call that is entered now lies too deep. Not for exits: calls above may have ended without an exit.
bool IsTooDeep(event::Location* location, event::Key key, uint64_t stack);

// Whether an exit belongs to a function that was too deep, and not to the innermost frame or to one that was left
// behind.
bool WasTooDeep(const event::Location* location, event::Key key, uint64_t stack);

// Whether a task that is created below this call path lies too deep: it may call any number of functions.
bool IsTaskTooDeep(uint32_t below);

extern const episode::Part depth_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_DEPTH_H_
