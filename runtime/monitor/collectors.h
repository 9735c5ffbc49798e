// SPDX-License-Identifier: BSD-3-Clause
// EPK_MONITOR_BUFFER: each thread's latest collective calls, where monitors of other processes read them.
#ifndef EPIK_RUNTIME_MONITOR_COLLECTORS_H_
#define EPIK_RUNTIME_MONITOR_COLLECTORS_H_

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/part.h"
#include "runtime/event/collectives.h"

namespace epik::monitor {

// The kinds of events that are noted, as bits of event::LogKinds.
extern uint32_t collects;

// The frame of a call that is going on now; null: it is not measured. A filter, a group or a limit has passed it over,
// or another call of its thread is the innermost one.
EPIK_HOT const event::Frame* MeasuredFrame(const event::Location* location, event::Key key) {
  const event::Frame* frame = event::FrameAt(location->top);
  const bool is_timed = (frame->entered & ~event::kTicksOfFrame) == 0;
  return EPIK_LIKELY(frame->key == key && is_timed) ? frame : nullptr;
}

// A collective call of the current region has come back. Times that are 0 are those of the region, and now. The node
// is filled in here. `stack`: frame of the caller. Returns the time that was read as now, if nothing has happened
// since; else 0. REQUIRES: the location is the caller's, and the region's frame is a MeasuredFrame; also below.
uint64_t NoteCollective(event::Location* location, event::CollectiveEvent event, const void* stack);

// Notes a call that returns now, and returns as NoteCollective does.
uint64_t NoteCall(event::Location* location, uint32_t communicator, uint32_t sequence, uint32_t about,
                  const void* stack);

// A step (runtime/event/collectives.h), of any call.
void NoteStep(event::Location* location, const event::CollectiveEvent& step, const void* stack);

// Barriers of OpenMP are noted, and one that all threads have come to, if it is measured.
EPIK_HOT bool NotesTeams() {
  return episode::current != nullptr && (episode::current->log_kinds & event::kNoteTeams) != 0;
}
EPIK_COLD void NoteTeamBarrier(event::Key barrier, const void* stack);

// Notes the times of a link of a tree in the call that is noted next.
void NoteLink(event::Location* location, event::CollectiveEvent link);

// In an operation of EPK_COLL_TREE, this moment of config::MonitorSchedule has come: if it is the one that
// EPK_MONITOR_SCHEDULE names, what is due is done now.
void DoWhatIsDue(uint32_t moment, const void* stack);

extern const episode::Part collectors_part;

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_COLLECTORS_H_
