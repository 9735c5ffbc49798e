// SPDX-License-Identifier: BSD-3-Clause
// Frames of visits that are counted and not timed, or not measured at all. They have a frame all the same, so that the
// stack is complete for everything that looks at it.
#ifndef EPIK_RUNTIME_EPISODE_UNTIMED_HOT_H_
#define EPIK_RUNTIME_EPISODE_UNTIMED_HOT_H_

#include "runtime/episode/location_hot.h"

namespace epik::episode {

EPIK_HOT void PushUntimed(Location* location, uint32_t child, Key key, uint64_t stack,
                          uint64_t mark = event::kUntimed) {
  const uint32_t top = location->top + 1;
  location->top = top;
  EPIK_ORDER();
  Frame* frame = FrameAt(top);
  frame->key = key;
  frame->node = child;
  frame->outer = location->node;
  frame->stack = stack;
  frame->entered = location->last | mark;
  EPIK_ORDER();
  location->node = child;
  EPIK_ORDER();
  // A handler made the stack grow after this frame had been reserved.
  if (EPIK_UNLIKELY(location->top != top)) *FrameAt(location->top) = *FrameAt(top);
}

// Each store is one instruction, as in Record.
EPIK_HOT void PopUntimed(Location* location, const Frame* frame) {
  ++NodeAt(frame->node)->visits;
  EPIK_ORDER();
  location->node = frame->outer;
  EPIK_ORDER();
  --location->top;
}

// Ends a call that is not measured. Its callees hang below its caller.
EPIK_HOT void PopOff(Location* location, const Frame* frame) {
  const uint32_t top = location->top;
  location->node = frame->outer;
  EPIK_ORDER();
  if (location->logged == top) location->logged = top - 1;  // it is logged only for the frames above it
  location->top = top - 1;
}

// Ends the innermost frame, if its visit is counted only or not measured. Its end is in the trace if its begin is.
void CloseUntimed(Location* location, const Frame* frame, uint64_t now);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_UNTIMED_HOT_H_
