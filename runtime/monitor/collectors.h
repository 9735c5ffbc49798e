// SPDX-License-Identifier: BSD-3-Clause
// EPK_MONITOR_BUFFER: each thread's latest collective calls, where monitors of other processes read them.
#ifndef EPIK_RUNTIME_MONITOR_COLLECTORS_H_
#define EPIK_RUNTIME_MONITOR_COLLECTORS_H_

#include "runtime/episode/part.h"
#include "runtime/event/collectives.h"

namespace epik::episode {

// Collective calls are noted.
extern bool collects;

// A collective call of the current region has come back. Times that are 0 are those of the region, and now. The node
// is filled in here. `stack`: frame of the caller. REQUIRES: the location is the caller's.
void NoteCollective(event::Location* location, event::CollectiveEvent event, const void* stack);

// What a link of a tree did in the call that is noted next.
void NoteLink(event::Location* location, event::CollectiveEvent link);

extern const Part collectors_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_MONITOR_COLLECTORS_H_
