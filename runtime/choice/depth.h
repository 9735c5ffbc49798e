// SPDX-License-Identifier: BSD-3-Clause
// EPK_DEPTH (hooks.depth_limit): functions nested deeper are not measured, their time is that of the last one that is.
// MPI, OpenMP's other constructs and regions of one's own are, below it; tasks are not. Asked only where filters are
// asked (EnterUnfiltered, ExitUnfiltered).
#ifndef EPIK_RUNTIME_CHOICE_DEPTH_H_
#define EPIK_RUNTIME_CHOICE_DEPTH_H_

#include <cstdint>

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Whether what is entered now lies too deep. Not for exits: what is above may have ended without one.
bool IsTooDeep(event::Location* location, event::Key key, uint64_t stack);

// Whether an exit belongs to a function that was too deep, and not to the innermost frame or to one that was left
// behind.
bool WasTooDeep(const event::Location* location, event::Key key, uint64_t stack);

// Whether a task that is created below this call path lies too deep: it may call any number of functions.
bool IsTaskTooDeep(uint32_t below);

extern const episode::Part depth_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_DEPTH_H_
