// SPDX-License-Identifier: BSD-3-Clause
// Tasks that are given up and go on later, on any thread. Such a task is one visit, where it ends, of the length of all
// its parts; the time of each part is where the part ran.
//
// Some tasks have no call path of their own (kFoldedTask): they are too deep, a filter has them out, or there is no
// room. Such a task has a frame that is off and has its creator's call path, so that what it calls hangs below that
// one. When the frame is closed, its time is moved there from what it interrupted, and there is no visit.
#ifndef EPIK_RUNTIME_TEAMS_TASK_PARTS_H_
#define EPIK_RUNTIME_TEAMS_TASK_PARTS_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::teams {

// The innermost frame of the key is that of a part, which is over now. Returns how long it was, if it is to be closed
// at once: otherwise what is open within it may still take some of its time.
EPIK_COLD uint64_t TicksOfPart(event::Key key);
// The frame is closed, at the latest event or at `now`, and counts as no visit.
EPIK_COLD void ExitPart(event::Key key);
EPIK_COLD void ExitPart(event::Key key, uint64_t now);
// The same, now, and the task has ended. `before`: ticks of its other parts.
EPIK_COLD void ExitLastPart(event::Key key, uint64_t before);

}  // namespace epik::teams

#endif  // EPIK_RUNTIME_TEAMS_TASK_PARTS_H_
