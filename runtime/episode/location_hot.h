// SPDX-License-Identifier: BSD-3-Clause
// The journey of one event: adapter -> stack -> summary. Nothing else runs when a function is called.
//
// A signal handler may interrupt at any instruction and bring events of its own. That is safe because a frame is
// reserved before it is filled, each frame restores on exit what it found on entry, and whatever cannot be done in
// such an order is done in a cold function that is never entered twice by one thread.
#ifndef EPIK_RUNTIME_EPISODE_LOCATION_HOT_H_
#define EPIK_RUNTIME_EPISODE_LOCATION_HOT_H_

#include "runtime/base/clock.h"
#include "runtime/base/compiler.h"
#include "runtime/epitome/call_tree_hot.h"
#include "runtime/event/layout.h"

namespace epik::episode {

using event::Frame;
using event::FrameAt;
using event::Key;
using event::Location;
using event::Node;
using event::NodeAt;

// The location of the calling thread; null before its first event, after its end, and while nothing is measured.
extern __thread Location* current;

// The rare branches (location.cc).
EPIK_COLD uint32_t MakeChild(Location* location, uint32_t parent, Key key);
EPIK_COLD bool MakeRoomForFrame(Location* location);
EPIK_COLD void ExitMismatched(Location* location, Key key, uint64_t now, uint64_t stack);

template <class Clock>
EPIK_HOT void Enter(Location* location, Key key, uint64_t stack, Clock now) {
  if (EPIK_UNLIKELY(location->top >= location->limit) && !MakeRoomForFrame(location)) return;
  const uint32_t outer = location->node;
  Node* parent = NodeAt(outer);
  uint32_t child = parent->last_child;
  if (EPIK_UNLIKELY(NodeAt(child)->key != key)) {
    child = epitome::FindChild(parent, key);
    if (EPIK_UNLIKELY(child == 0)) child = MakeChild(location, outer, key);
    else parent->last_child = child;
  }
  const uint32_t top = location->top + 1;
  location->top = top;  // reserved first: a handler's frames go above
  EPIK_ORDER();
  Frame* frame = FrameAt(top);
  frame->key = key;
  frame->node = child;
  frame->outer = outer;
  frame->stack = stack;
  const uint64_t entered = now();  // last, so that our own work is not the region's
  frame->entered = entered;
  location->last = entered;
  EPIK_ORDER();
  location->node = child;
}

template <class Clock>
EPIK_HOT void Exit(Location* location, Key key, uint64_t stack, Clock now) {
  const uint64_t left = now();  // first, for the same reason
  const uint32_t top = location->top;
  const Frame* frame = FrameAt(top);
  if (EPIK_UNLIKELY(frame->key != key)) return ExitMismatched(location, key, left, stack);
  const int64_t duration = static_cast<int64_t>(left - frame->entered);
  epitome::Record(NodeAt(frame->node), EPIK_LIKELY(duration > 0) ? static_cast<uint64_t>(duration) : 0);
  location->last = left;
  EPIK_ORDER();
  location->node = frame->outer;
  EPIK_ORDER();
  location->top = top - 1;
}

// What adapters call. A thread without a location gets one, if anything is measured at all.
EPIK_COLD void EnterFirst(Key key, uint64_t stack);
EPIK_COLD void ExitFirst(Key key, uint64_t stack);

EPIK_HOT void Enter(Key key, const void* stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return EnterFirst(key, reinterpret_cast<uint64_t>(stack));
  Enter(location, key, reinterpret_cast<uint64_t>(stack), base::Now);
}

EPIK_HOT void Exit(Key key, const void* stack) {
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return ExitFirst(key, reinterpret_cast<uint64_t>(stack));
  Exit(location, key, reinterpret_cast<uint64_t>(stack), base::Now);
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LOCATION_HOT_H_
