// SPDX-License-Identifier: BSD-3-Clause
// Finds or makes call paths of a location.
#ifndef EPIK_RUNTIME_EPISODE_PATHS_H_
#define EPIK_RUNTIME_EPISODE_PATHS_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// The location's own copy of the call path that ends at `node` of another location. REQUIRES: inside.
uint32_t CopyPath(event::Location* location, uint32_t node);
// Finds or makes a child. REQUIRES: inside.
uint32_t ChildOf(event::Location* location, uint32_t parent, event::Key key);

// Makes a node for values during an event of the location's own thread; 0: no room.
uint32_t MakeMetric(event::Location* location, uint32_t parent, event::Key key);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_PATHS_H_
