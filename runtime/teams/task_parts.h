// SPDX-License-Identifier: BSD-3-Clause
// Tasks that are suspended and go on later, on any thread. Such a task is one visit where it ends, as long as all its
// parts together. The time of each part is on the thread where the part ran.
//
// Some tasks have no call path of their own (kFoldedTask): they are too deep, a filter excludes them, or there is no
// room. The frame of such a task is off and has its creator's call path, so that its callees hang below that path. When
// the frame is closed, its time moves there from the call path that it interrupted, and no visit is counted.
#ifndef EPIK_RUNTIME_TEAMS_TASK_PARTS_H_
#define EPIK_RUNTIME_TEAMS_TASK_PARTS_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::teams {

// The innermost frame of the key is that of a part, which ends now. Returns the part's length for a frame that is to be
// closed at once: otherwise calls that are open within it may still take some of its time.
EPIK_COLD uint64_t TicksOfPart(event::Key key);
// Closes the frame, at the latest event or at `now`, without counting a visit.
EPIK_COLD void ExitPart(event::Key key);
EPIK_COLD void ExitPart(event::Key key, uint64_t now);
// The same, now, for a task that has ended. `before`: ticks of its other parts.
EPIK_COLD void ExitLastPart(event::Key key, uint64_t before);

}  // namespace epik::teams

#endif  // EPIK_RUNTIME_TEAMS_TASK_PARTS_H_
