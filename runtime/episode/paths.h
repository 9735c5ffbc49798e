// SPDX-License-Identifier: BSD-3-Clause
// Call paths of a location: found, or made.
#ifndef EPIK_RUNTIME_EPISODE_PATHS_H_
#define EPIK_RUNTIME_EPISODE_PATHS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// The location's own copy of the call path that ends at `node` of another location. REQUIRES: inside.
uint32_t CopyPath(event::Location* location, uint32_t node);
// A child, made when it is not there. REQUIRES: inside.
uint32_t ChildOf(event::Location* location, uint32_t parent, event::Key key);

// For events, while the location is its thread's: a node for values, or 0.
uint32_t MakeMetric(event::Location* location, uint32_t parent, event::Key key);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_PATHS_H_
