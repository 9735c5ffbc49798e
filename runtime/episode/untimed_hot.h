// SPDX-License-Identifier: BSD-3-Clause
// Frames of visits that are counted and not timed, or not measured at all. A frame is there all the same, so that
// whatever looks at the stack finds it.
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
  // A handler made the stack grow when this one had been reserved.
  if (EPIK_UNLIKELY(location->top != top)) *FrameAt(location->top) = *FrameAt(top);
}

// In one instruction each, as with Record.
EPIK_HOT void PopUntimed(Location* location, const Frame* frame) {
  ++NodeAt(frame->node)->visits;
  EPIK_ORDER();
  location->node = frame->outer;
  EPIK_ORDER();
  --location->top;
}

// The end of a call that is not measured. What it called hangs below its caller.
EPIK_HOT void PopOff(Location* location, const Frame* frame) {
  const uint32_t top = location->top;
  location->node = frame->outer;
  EPIK_ORDER();
  if (location->logged == top) location->logged = top - 1;  // it counts for what is above it alone
  location->top = top - 1;
}

// The end of the innermost frame, which is one of these. It is in the trace when its begin is.
void CloseUntimed(Location* location, const Frame* frame, uint64_t now);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_UNTIMED_HOT_H_
