// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fibers/following.h"

#include "runtime/epilog/capture.h"
#include "runtime/episode/displaced.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/untimed_hot.h"

namespace epik::fibers {

using event::Frame;
using event::FrameAt;
using event::Location;
using event::NodeAt;

constinit Fibers fibers;

namespace {

// Ends a call that has not returned: the program never comes back to its stack.
void Abandon(const KeptFrame& frame) {
  fibers.abandoned.fetch_add(1, std::memory_order_relaxed);
  if (!frame.timed) return;
  NodeAt(frame.node)->ticks -= frame.ticks;  // has them already
  epitome::Record(NodeAt(frame.node), frame.ticks);
}

// Tells a trace of all calls that the exits, or enters, that follow are those of a part of a call.
void LogSwitch(Location* location, event::RecordKind kind, const Stack* stack, uint64_t calls, uint64_t now) {
  if (calls == 0 || !episode::IsForTrace(location, 0)) return;
  const uint64_t fields[] = {stack->number, calls};
  epilog::LogRecordAt(location, now, kind, fields);
}

// The number of calls on the active stack.
uint64_t CallsOnStack(const Following* mine) {
  const Location* location = mine->location;
  uint64_t calls = 0;
  for (uint32_t i = location->bottom + mine->base + 1; i <= location->top; ++i) {
    calls += episode::IsWhole(location, i) && !event::IsOff(FrameAt(i)) ? 1 : 0;
  }
  return calls;
}

// Takes the innermost frame away and keeps it. Its time so far is in its node: a killed process leaves it there.
uint64_t Suspend(Location* location, Stack* stack, uint64_t now) {
  const Frame* frame = FrameAt(location->top);
  KeptFrame& kept = stack->kept[stack->count++];
  kept = {frame->key, frame->stack, frame->entered, frame->node, (frame->entered & event::kUntimed) == 0};
  if (event::IsOff(frame)) {
    episode::PopOff(location, frame);
    return now;
  }
  if (kept.timed) kept.ticks = Since(frame->entered, now);
  const bool logs =
      episode::IsForTrace(location, kept.timed ? kept.ticks : 0) && epilog::BeginLogEnd(location, frame, now);
  if (kept.timed) NodeAt(frame->node)->ticks += kept.ticks;
  location->node = frame->outer;
  EPIK_ORDER();
  --location->top;
  if (location->last < now) location->last = now;
  return logs && epilog::EndLog(location) ? location->last : now;
}

// Frames come from the innermost to the outermost, and are kept the other way round.
void Reverse(Stack* stack) {
  for (uint32_t i = 0, k = stack->count; i + 1 < k; ++i) {
    const KeptFrame frame = stack->kept[i];
    stack->kept[i] = stack->kept[--k];
    stack->kept[k] = frame;
  }
}

// Puts a kept call on top of what is open. False: no room.
bool PutBack(Location* location, const KeptFrame& kept, uint64_t now) {
  if (location->top >= episode::WholeLimit(location) && !episode::GrowFrames(location)) return false;
  Frame* frame = FrameAt(location->top + 1);
  *frame = {kept.key, kept.timed ? now - kept.ticks : kept.ticks, kept.node, location->node, kept.stack};
  if (kept.timed) NodeAt(kept.node)->ticks -= kept.ticks;
  EPIK_ORDER();
  ++location->top;
  EPIK_ORDER();
  location->node = kept.node;
  if (EPIK_UNLIKELY(choice::hooks.counters_on)) counters::NoteAgain(Depth(location));
  return true;
}

}  // namespace

void AbandonAll(Stack* stack) {
  for (; stack->count != 0; --stack->count) Abandon(stack->kept[stack->count - 1]);
}

void DisplacePart(const Following* mine, uint32_t node, uint32_t outer, uint64_t now) {
  if (NodeAt(node)->parent == outer) return;
  episode::Displace(mine->location, node, outer, Since(mine->part_began, now));
}

void LeaveActive(Following* mine, uint64_t now) {
  Stack* stack = mine->active;
  Location* location = mine->location;
  if (stack == nullptr) return;
  const uint32_t open = Depth(location) > mine->base ? Depth(location) - mine->base : 0;
  const bool keeps = !episode::IsOverflowMark(location) && stack->Reserve(open);
  if (!keeps) {
    fibers.given_up.fetch_add(1, std::memory_order_relaxed);
    location->repairs += open;
    episode::CloseFrames(location, location->bottom + mine->base + 1, now);
  }
  LogSwitch(location, event::RecordKind::kStackLeft, stack, CallsOnStack(mine), now);
  while (Depth(location) > mine->base) {
    const Frame* frame = FrameAt(location->top);
    if (!episode::IsWhole(location, location->top)) {  // a handler found the frame unfilled
      --location->top;
      continue;
    }
    const uint32_t node = frame->node, outer = frame->outer;
    const bool is_outermost = Depth(location) == mine->base + 1 && !event::IsOff(frame);
    now = Suspend(location, stack, now);
    if (is_outermost) DisplacePart(mine, node, outer, now);
  }
  Reverse(stack);
  mine->active = nullptr;
}

// In a trace of all calls, each part of a call that was suspended is a call of its own.
void LogResumed(Following* mine, const Stack* stack, uint32_t count, uint64_t now) {
  Location* location = mine->location;
  const auto frame = [&](uint32_t i) { return FrameAt(location->bottom + mine->base + 1 + i); };
  for (uint32_t i = 0; i < count; ++i) {
    if (stack->kept[i].timed) frame(i)->entered = now;
  }
  epilog::LogOpenCalls(location);
  for (uint32_t i = 0; i < count; ++i) {
    if (stack->kept[i].timed) frame(i)->entered = now - stack->kept[i].ticks;
  }
}

// The calls that are further in than `place` are gone: the program uses their memory for other calls.
void ComeTo(Following* mine, Stack* stack, uint64_t place, bool enters, uint64_t now) {
  Location* location = mine->location;
  mine->active = stack;
  mine->base = Depth(location);
  mine->part_began = now;
  while (stack->count != 0) {
    const uint64_t innermost = stack->kept[stack->count - 1].stack;
    if (innermost > place || (innermost == place && !enters) || !episode::IsPlace(innermost)) break;
    Abandon(stack->kept[--stack->count]);
    ++location->repairs;
  }
  uint64_t calls = 0;
  for (uint32_t i = 0; i < stack->count; ++i) {
    const KeptFrame& kept = stack->kept[i];
    calls += kept.timed || (kept.ticks & event::kOff) == 0 ? 1 : 0;
  }
  LogSwitch(location, event::RecordKind::kStackBack, stack, calls, now);
  uint32_t back = 0;
  while (back < stack->count && PutBack(location, stack->kept[back], now)) ++back;
  for (; stack->count > back; --stack->count) Abandon(stack->kept[stack->count - 1]);
  if (back != 0 && episode::IsForTrace(location, 0)) LogResumed(mine, stack, back, now);
  stack->count = 0;
  if (location->last < now) location->last = now;
}

Stack* NewStack(Following* mine, uint64_t place, Range known) {
  if (known.IsKnown()) {
    while (Stack* before = mine->stacks.Overlapping(known)) {
      mine->location->repairs += before->count;
      AbandonAll(before);
      mine->stacks.Remove(before);
    }
  }
  Stack* made = mine->stacks.Add(place, known);
  if (made == nullptr) {
    Stack* victim = mine->stacks.Victim(mine->active);
    if (victim == nullptr) return nullptr;
    fibers.given_up.fetch_add(1, std::memory_order_relaxed);
    mine->location->repairs += victim->count;
    AbandonAll(victim);
    mine->stacks.Remove(victim);
    made = mine->stacks.Add(place, known);
  }
  if (made != nullptr) made->number = fibers.stacks.fetch_add(1, std::memory_order_relaxed) + 1;
  return made;
}

void CloseDead(Following* mine, uint64_t place) {
  Location* location = mine->location;
  uint32_t alive = Depth(location);
  while (alive > mine->base && FrameAt(location->bottom + alive)->stack <= place) --alive;
  if (alive == Depth(location)) return;
  fibers.abandoned.fetch_add(Depth(location) - alive, std::memory_order_relaxed);
  location->repairs += Depth(location) - alive;
  episode::CloseFrames(location, location->bottom + alive + 1, base::Now());
}

}  // namespace epik::fibers
