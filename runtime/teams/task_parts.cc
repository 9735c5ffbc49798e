// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/teams/task_parts.h"

#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/teams/task_hot.h"

namespace epik::teams {

namespace {

// Null: there is none.
const Frame* OpenFrame(const Location* location, Key key) {
  for (uint32_t i = location->top; i > location->bottom; --i) {
    if (FrameAt(i)->key == key) return FrameAt(i);
  }
  return nullptr;
}

uint64_t TicksUntil(const Frame* frame, uint64_t now) {
  const uint64_t entered = frame->entered & event::kTicksOfFrame;
  return now > entered ? now - entered : 0;
}

// REQUIRES: inside.
void CloseFolded(Location* location, const Frame* frame, uint64_t now) {
  const uint32_t node = frame->node;
  const uint32_t outer = frame->outer;
  const uint64_t ticks = TicksUntil(frame, now);
  if (location->last < now) location->last = now;
  episode::PopOff(location, frame);
  episode::MoveTime(location, Interrupted(location, TimedBelow(location, outer)), node, ticks);
  // Comes last: if the buffer is written now, that time does not belong to the task.
  if (node != location->sink && LogsRecords(location)) LogFoldedEnd(location, now);
}

// `add` gets the node and the ticks of the part.
template <class Add>
void ClosePart(Key key, uint64_t now, Add add) {
  Location* location = episode::current;
  if (location == nullptr) return;
  if (OpenFrame(location, key) == nullptr) {
    ++location->unmatched;
    return;
  }
  CloseInside(key);
  const episode::Inside guard;
  episode::Charge(location);
  const Frame* frame = FrameAt(location->top);
  if (event::IsOff(frame)) {
    if (key == kFoldedTask) return CloseFolded(location, frame, now);
    return episode::PopOff(location, frame);
  }
  const uint64_t ticks = TicksUntil(frame, now);
  const bool logs = episode::IsForTrace(location, ticks) && epilog::BeginLogEnd(location, frame, now);
  add(NodeAt(frame->node), ticks);
  const uint32_t node = frame->node;
  const uint32_t outer = frame->outer;
  location->node = outer;
  EPIK_ORDER();
  --location->top;
  const uint32_t timed = TimedBelow(location, outer);
  if (NodeAt(node)->parent != timed) episode::Displace(location, node, Interrupted(location, timed), ticks);
  if (location->last < now) location->last = now;
  if (logs) epilog::EndLog(location);
}

}  // namespace

uint64_t TicksOfPart(Key key) {
  Location* location = episode::current;
  const Frame* frame = location == nullptr ? nullptr : OpenFrame(location, key);
  if (frame == nullptr || event::IsOff(frame)) return 0;
  if (const uint64_t now = base::Now(); location->last < now) location->last = now;
  return TicksUntil(frame, location->last);
}

void ExitPart(Key key) {
  if (const Location* location = episode::current) ExitPart(key, location->last);
}

void ExitPart(Key key, uint64_t now) {
  ClosePart(key, now, [](event::Node* node, uint64_t ticks) { node->ticks += ticks; });
}

void ExitLastPart(Key key, uint64_t before) {
  ClosePart(key, base::Now(), [before](event::Node* node, uint64_t ticks) {
    epitome::Record(node, before + ticks);
    node->ticks -= before;
  });
}

}  // namespace epik::teams
