// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fibers/fibers.h"

#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "runtime/base/own_heap.h"
#include "runtime/base/signal_stack.h"
#include "runtime/base/spinlock.h"
#include "runtime/base/thread_memory.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/fibers/following.h"

namespace epik::fibers {

using episode::IsPlace;
using event::FrameAt;
using event::Location;

namespace {

EPIK_PER_THREAD base::PerThread<Following*> following;
EPIK_PER_THREAD base::PerThread<Range> home;

bool IsFollowing() { return EPIK_UNLIKELY((choice::WaysNow() & choice::kStackWay) != 0); }

// The stack address of the outermost frame that is on a stack; 0: no frame is.
uint64_t OutermostPlace(const Location* location) {
  for (uint32_t i = location->bottom + 1; i <= location->top; ++i) {
    if (IsPlace(FrameAt(i)->stack)) return FrameAt(i)->stack;
  }
  return 0;
}

Range HandlersStack() {
  const stack_t now = base::SignalStack();
  if ((now.ss_flags & SS_DISABLE) != 0) return {};
  const auto begin = reinterpret_cast<uint64_t>(now.ss_sp);
  return {begin, begin + now.ss_size};
}

// Sorts the frames that were entered before hooks looked at stacks: the outer frames are on the thread's own stack, the
// frames above them on the stack that it is on now.
void Adopt(Following* mine) {
  const Location* location = mine->location;
  for (uint32_t i = location->bottom + 1; i <= location->top; ++i) {
    const uint64_t stack = FrameAt(i)->stack;
    if (!IsPlace(stack) || mine->home.Has(stack) || mine->handlers.Has(stack)) continue;
    mine->active = NewStack(mine, stack, {});
    mine->base = i - 1 - location->bottom;
    mine->part_began = FrameAt(i)->entered & event::kTicksOfFrame;
    return;
  }
}

const Range& Home(const Location* location) {
  if (!home->IsKnown()) *home = HomeStack(OutermostPlace(location));
  return *home;
}

// Null: nothing can be followed on this thread. REQUIRES: inside.
Following* Follow(Location* location) {
  if (*following != nullptr) return *following;
  const Range& own = Home(location);
  if (!own.IsKnown()) return nullptr;
  auto* mine = static_cast<Following*>(base::TakeOwn(sizeof(Following)));
  if (mine == nullptr) return nullptr;
  *mine = Following{};
  mine->location = location;
  mine->home = own;
  mine->handlers = HandlersStack();
  Adopt(mine);
  const base::Locked lock(fibers.lock);
  mine->next = fibers.first;
  fibers.first = mine;
  *following = mine;
  return mine;
}

uint64_t Innermost(const Following* mine) {
  const Location* location = mine->location;
  if (mine->active == nullptr || Depth(location) <= mine->base) return mine->active == nullptr ? 0 : mine->active->high;
  const uint64_t stack = FrameAt(location->top)->stack;
  return IsPlace(stack) ? stack : mine->active->high;
}

// Whether the thread is still on the stack that it was on.
bool IsStillThere(const Following* mine, uint64_t place, bool enters) {
  if (mine->handlers.Has(place)) return true;  // a handler interrupts whatever stack the thread is on
  if (mine->active == nullptr) return mine->home.Has(place);
  if (mine->home.Has(place)) return false;
  const uint64_t innermost = Innermost(mine);
  if (!enters && place == innermost) return true;
  if (place >= innermost) return false;
  const Range& known = mine->active->known;
  return known.IsKnown() ? known.Has(place) : innermost - place < kNear;
}

void GoTo(Following* mine, uint64_t place, Range known, bool enters) {
  Location* location = mine->location;
  Stack* to = nullptr;
  if (!mine->home.Has(place)) {
    mine->handlers = HandlersStack();
    if (mine->handlers.Has(place)) return;
    to = mine->stacks.Find(place, mine->active, Innermost(mine));
    const bool is_other =
        to != nullptr && known.IsKnown() && (to->known.begin != known.begin || to->known.end != known.end);
    if (is_other) to = nullptr;
    if (to != nullptr && to == mine->active) return enters ? CloseDead(mine, place) : void();
  }
  episode::Charge(location);
  const uint64_t now = base::Now();
  LeaveActive(mine, now);
  if (mine->home.Has(place)) return;
  if (to == nullptr) to = NewStack(mine, place, known);
  if (to != nullptr) ComeTo(mine, to, place, enters, now > location->last ? now : location->last);
}

}  // namespace

bool StartFollowing(Location* location, uint64_t stack) {
  // EPIK tries its hooks out on a stack of its own, before and after the measurement.
  const bool is_program = episode::CurrentStage() == episode::Stage::kOn;
  if (IsFollowing() || !is_program || !IsPlace(stack)) return false;
  const uint64_t caller = FrameAt(location->top)->stack;
  if (!IsPlace(caller) || (home->Has(stack) && home->Has(caller))) return false;
  const episode::Inside guard;
  const Range& own = Home(location);
  if (!own.IsKnown() || (own.Has(stack) && own.Has(caller))) return false;
  const Range handlers = HandlersStack();
  if (handlers.Has(stack) || handlers.Has(caller)) return false;
  choice::AddWay(choice::kStackWay);
  episode::SeeEachEvent();
  return true;
}

void FollowStack(Location* location, uint64_t stack, bool enters) {
  if (!IsFollowing() || !IsPlace(stack)) return;
  Following* mine = *following;
  if (EPIK_LIKELY(mine != nullptr) && IsStillThere(mine, stack, enters)) return;
  const episode::Inside guard;
  if (mine == nullptr && (mine = Follow(location)) == nullptr) return;
  if (!IsStillThere(mine, stack, enters)) GoTo(mine, stack, {}, enters);
}

void SwitchStack(uint64_t stack, Range bounds) {
  Location* location = episode::current;
  if (location == nullptr || episode::inside) return;
  const episode::Inside guard;
  if (!Home(location).IsKnown()) return;
  Following* mine = Follow(location);
  if (mine == nullptr) return;
  choice::AddWay(choice::kStackWay);
  episode::SeeEachEvent();
  const bool tells_bounds = bounds.IsKnown() && (mine->active == nullptr || !mine->active->known.Has(stack));
  if (tells_bounds || !IsStillThere(mine, stack, /*enters=*/false)) GoTo(mine, stack, bounds, /*enters=*/false);
}

uint32_t FramesBelowStack(const Location* location) {
  const Following* mine = IsFollowing() ? *following : nullptr;
  return mine == nullptr || mine->active == nullptr || mine->location != location ? 0 : mine->base;
}

uint64_t TicksOfLastPart(const Location* location, uint64_t now, uint64_t duration) {
  const Following* mine = IsFollowing() ? *following : nullptr;
  const bool is_outermost =
      mine != nullptr && mine->active != nullptr && mine->location == location && Depth(location) == mine->base + 1;
  return is_outermost ? Since(mine->part_began, now) : duration;
}

episode::LastPart BeforeExit(const Location* location, event::Key key) {
  const Following* mine = *following;
  if (mine == nullptr || mine->active == nullptr || Depth(location) != mine->base + 1) return {};
  const event::Frame* frame = FrameAt(location->top);
  const bool is_displaced =
      frame->key == key && !event::IsOff(frame) && event::NodeAt(frame->node)->parent != frame->outer;
  return is_displaced ? episode::LastPart{frame->node, frame->outer} : episode::LastPart{};
}

void AfterExit(Location* location, episode::LastPart part) {
  const Following* mine = *following;
  if (mine == nullptr || mine->active == nullptr || Depth(location) != mine->base) return;
  const episode::Inside guard;
  DisplacePart(mine, part.node, part.outer, location->last);
}

namespace {

void Close(Location*, uint64_t now) {
  Following* mine = *following;
  if (mine == nullptr) return;
  LeaveActive(mine, now);
  for (uint32_t i = 0; i < mine->stacks.count(); ++i) AbandonAll(mine->stacks.At(i));
}

void Closed() {
  Following* mine = *following;
  *home = {};
  if (mine == nullptr) return;
  *following = nullptr;
  {
    const base::Locked lock(fibers.lock);
    Following** link = &fibers.first;
    while (*link != nullptr && *link != mine) link = &(*link)->next;
    if (*link == mine) *link = mine->next;
  }
  mine->stacks.Clear();
  base::GiveOwn(mine);
}

// Readers close the open frames from the moment the thread came to the stack: their earlier time is in the nodes.
void SettleOpen(Following* mine, uint64_t now) {
  Location* location = mine->location;
  for (uint32_t i = location->bottom + mine->base + 1; mine->active != nullptr && i <= location->top; ++i) {
    event::Frame* frame = FrameAt(i);
    if ((frame->entered & event::kUntimed) != 0 || frame->entered >= mine->part_began) continue;
    event::NodeAt(frame->node)->ticks += mine->part_began - frame->entered;
    frame->entered = mine->part_began;
    if (i == location->bottom + mine->base + 1) DisplacePart(mine, frame->node, frame->outer, now);
  }
}

void Finish() {
  if (!IsFollowing()) return;
  const uint64_t now = event::Process()->end_ticks;
  for (Following* mine = fibers.first; mine != nullptr; mine = mine->next) {
    SettleOpen(mine, now);
    for (uint32_t i = 0; i < mine->stacks.count(); ++i) AbandonAll(mine->stacks.At(i));
  }
  char text[320];
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  int size =
      std::snprintf(text, sizeof text, "the program switches stacks by itself; calls were followed on %llu of them",
                    number(fibers.stacks));
  if (fibers.abandoned != 0) {
    size += std::snprintf(text + size, sizeof text - static_cast<size_t>(size),
                          "; calls on them that never returned: %llu", number(fibers.abandoned));
  }
  if (fibers.given_up != 0) {
    std::snprintf(text + size, sizeof text - static_cast<size_t>(size),
                  "; %llu stacks were more than can be followed, and their calls were closed when they were left",
                  number(fibers.given_up));
  }
  episode::Note(text);
}

void Forget() {
  fibers.lock.Reset();
  fibers.first = nullptr;
  fibers.stacks = fibers.abandoned = fibers.given_up = 0;
  *following = nullptr;  // its memory stays: the parent may have been changing it
  *home = {};
  choice::DropWay(choice::kStackWay);
}

}  // namespace

const episode::Part fibers_part = {
    .name = "fibers", .finish = Finish, .forget = Forget, .closing = Close, .closed = Closed};

}  // namespace epik::fibers
