// SPDX-License-Identifier: BSD-3-Clause
// EPK_MONITOR_BUFFER: notes each thread's latest collective calls where monitors in other processes can read them.
#ifndef EPIK_RUNTIME_MONITOR_COLLECTORS_H_
#define EPIK_RUNTIME_MONITOR_COLLECTORS_H_

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/part.h"
#include "runtime/event/collectives.h"

namespace epik::monitor {

// The kinds of notes, as bits of event::LogKinds.
extern uint32_t collects;

// The frame of the present call. Null: the call is not measured, because a filter, a group or a limit excludes it, or
// because another call is the innermost one of its thread.
EPIK_HOT const event::Frame* MeasuredFrame(const event::Location* location, event::Key key) {
  const event::Frame* frame = event::FrameAt(location->top);
  const bool is_timed = (frame->entered & ~event::kTicksOfFrame) == 0;
  return EPIK_LIKELY(frame->key == key && is_timed) ? frame : nullptr;
}

// Notes that a collective call of the current region has returned. Times that are 0 are replaced by the region's enter,
// and by now. The node is filled in here. `stack`: frame of the caller. Returns the time that was read as now, if
// nothing has happened since; else 0. REQUIRES: the location is the caller's, and the region's frame is a
// MeasuredFrame; also below.
uint64_t NoteCollective(event::Location* location, event::CollectiveEvent event, const void* stack);

// Notes a call that returns now, and returns as NoteCollective does.
uint64_t NoteCall(event::Location* location, uint32_t communicator, uint32_t sequence, uint32_t about,
                  const void* stack);

// Notes a step (runtime/event/collectives.h) of any call, except Step::kCall.
void NoteStep(event::Location* location, const event::CollectiveEvent& step, const void* stack);
// Notes Step::kCall of a call that returns now, and returns this time; 0: nothing is noted. Work that is due would be a
// part of the call, so it is left to WorkAfterCall, when the call's region has been exited at this time.
uint64_t NoteCompletion(event::Location* location, event::CollectiveEvent call);
void WorkAfterCall(const void* stack);

// Whether barriers of OpenMP are noted; and notes a barrier that all threads have reached, if it is measured.
EPIK_HOT bool NotesTeams() {
  const event::Location* location = episode::current;
  return location != nullptr && (location->log_kinds & event::kNoteTeams) != 0;
}
EPIK_COLD void NoteTeamBarrier(event::Key barrier, const void* stack);

// Notes the times of a link of a tree in the call that is noted next.
void NoteLink(event::Location* location, event::CollectiveEvent link);

// In an operation of EPK_COLL_TREE, this moment of config::MonitorSchedule has come. If EPK_MONITOR_SCHEDULE names it,
// does the work that is due.
void DoWhatIsDue(uint32_t moment, const void* stack);

extern const episode::Part collectors_part;

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_COLLECTORS_H_
