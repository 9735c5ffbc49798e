// SPDX-License-Identifier: BSD-3-Clause
// Frames of a location: the room for them, the mark above the last one there is room for, and closing them.
#ifndef EPIK_RUNTIME_EPISODE_FRAMES_H_
#define EPIK_RUNTIME_EPISODE_FRAMES_H_

#include <cstdint>

#include "runtime/event/control.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// Whether another process has asked the whole measurement to pause (runtime/event/control.h).
inline bool IsPauseWanted() {
  return event::IsWanted({base::arena_base, event::Process()->arena.bytes}, event::kPaused);
}

// Frames kept for each location (ESD_FRAMES); 0: as many as fit.
extern uint32_t frame_limit;
extern uint32_t first_frames;  // room a new location starts with

// Room for the frames of a new location: a chunk, or 0; and the location begins to use it.
uint32_t AllocateFrames(event::Location* location);
void UseFrames(event::Location* location, uint32_t chunk);
// Doubles the room. False: no memory.
bool GrowFrames(event::Location* location);
// Gives the room back, unless the measurement is to pause.
void GiveFrames(event::Location* location, uint32_t limit);
uint32_t WholeLimit(const event::Location* location);

// Pushes a frame that is not below the one before it, with a time of its own and without an event.
void PushAt(event::Location* location, event::Key key, uint32_t node, uint64_t now, uint64_t stack);

// Stands above the last frame there was room for. No event has this key, so every exit comes to ExitMismatched.
inline constexpr event::Key kOverflowKey = ~event::Key{0};

// Whether a frame below the top was filled and not closed. If a handler interrupted the event that reserved or released
// the frame, the node that was current around the handler is not the frame's.
inline bool IsWhole(const event::Location* location, uint32_t index) {
  const uint32_t inner = index == location->top ? location->node : event::FrameAt(index + 1)->outer;
  return event::FrameAt(index)->node == inner;
}

bool IsOverflowMark(const event::Location* location);
void PopOverflowMark(event::Location* location);

// A frame without an exit of its own: a parameter, the body of `#pragma omp single` (team.h), or a call that is not
// measured.
bool EndsByItself(const event::Frame* frame);

// Closes every frame from `top` down to and including `index`, as if all returned at `now`.
void CloseFrames(event::Location* location, uint32_t index, uint64_t now);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_FRAMES_H_
