// SPDX-License-Identifier: BSD-3-Clause
// The rare branches of location_hot.h.
#include "runtime/base/arena.h"
#include "runtime/episode/cold.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/modules.h"
#include "runtime/episode/paths.h"
#include "runtime/episode/untimed_hot.h"

namespace epik::episode {

bool stop_when_full = false;

void EnterOther(Location* location, Key key, uint64_t stack) {
  Node* parent = NodeAt(location->node);
  const uint32_t child = epitome::ChildAtOnce(parent, key);
  const bool usual = child != 0 && HasRoomForFrame(location);
  if (EPIK_UNLIKELY(!usual)) return EnterSearching(location, key, stack);
  epitome::SetLast(parent, child, key);
  __builtin_prefetch(NodeAt(child), 1);  // it will be needed a few calls from now
  Push(location, child, key, stack, base::ReadTsc);
}

void EnterSearching(Location* location, Key key, uint64_t stack) {
  const uint32_t child = CurrentChild(location, key);
  const bool usual = child != 0 && HasRoomForFrame(location);
  if (EPIK_UNLIKELY(!usual)) return EnterSlowly(location, key, stack);
  __builtin_prefetch(NodeAt(child), 1);  // it will be needed a few calls from now
  Push(location, child, key, stack, base::ReadTsc);
}

// If the distance is so large, the program has switched to another stack: no frames between two measured ones take so
// much. A frame that a handler found unfilled, and jumped away from, has no stack address.
static bool IsFarAway(const Location* location, uint64_t stack) {
  constexpr uint64_t kFar = 8u << 10;
  const uint32_t top = location->top;
  const bool is_outermost = top <= location->bottom + 1;
  return FrameAt(is_outermost || IsWhole(location, top) ? top : top - 1)->stack - stack >= kFar;
}

void EnterSlowly(Location* location, Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(IsPauseWanted()) && choice::PauseFromOutside(location, key, stack)) return;
  if (EPIK_UNLIKELY(IsFarAway(location, stack)) && fibers::StartFollowing(location, stack))
    return choice::EnterUnusual(key, stack, location);
  Enter(location, key, stack, base::Now);
}

// Events of a handler are below the call path that was current when it came; the frame that it left above ours still
// has that node. The handler's time must not count inside a region that, by the clock, had not begun or had ended.
void EnterInterrupted(Location* location, uint32_t top, uint32_t child, uint64_t entered) {
  // The stack may have grown meanwhile: then only the place reserved in the old one has been filled.
  if (location->top != top) *FrameAt(location->top) = *FrameAt(top);
  if (location->last <= entered) return;
  if (FrameAt(location->top + 1)->outer != child) FrameAt(location->top)->entered = location->last;
}

namespace {

// Makes the latest pending visit of the node longer. Returns false if the node has no pending visit.
bool Lengthen(Location* location, uint32_t node, uint64_t more) {
  location->exchanging = location->top;  // a handler must not take the visit away meanwhile
  EPIK_ORDER();
  bool found = false;
  for (uint32_t back = 1; back <= event::kPendingVisits && !found; ++back) {
    event::PendingVisit* visit =
        &location->pending[(location->next_pending + event::kPendingVisits - back) % event::kPendingVisits];
    found = visit->node == node;
    if (found) visit->ticks += more;
  }
  EPIK_ORDER();
  location->exchanging = 0;
  EPIK_ORDER();
  return found;
}

}  // namespace

// The frame is closed, and still above the frame that was current before it. The visit includes what the handler took.
// In a large tree, another visit is due, and this one is pending with its shorter length. If the handler has had so
// many calls that this one is not pending any more, only the time of the call path is made longer.
void ExitInterrupted(Location* location, uint64_t left, uint64_t node, Key key, uint64_t ticks) {
  const uint32_t closed = FrameAt(location->top)->node;
  uint64_t more = FrameAt(location->top + 1)->outer == closed ? location->last - left : 0;
  if (more != 0 && epitome::IsLarge(location) && Lengthen(location, closed, more)) more = 0;
  const bool is_due = node == closed;
  if (!is_due) NodeAt(closed)->ticks += more;
  --location->top;
  RecordElsewhere(location, node, key, NotNegative(ticks) + (is_due ? more : 0));
}

void ExitInExchange(Location* location, uint64_t left) {
  const Frame* frame = FrameAt(location->top);
  RecordElsewhere(location, frame->node, frame->key, NotNegative(left - frame->entered));
  location->node = frame->outer;
  EPIK_ORDER();
  if (location->last < left) location->last = left;
  --location->top;
}

void RecordElsewhere(Location* location, uint64_t node, Key key, uint64_t ticks) {
  if (node == 0) return;
  auto child = static_cast<uint32_t>(node);
  const Key found = NodeAt(child)->key;
  if (found != key && child != location->sink && !event::IsRetired(found)) {
    __atomic_store_n(&epitome::marks_are_trusted, false, __ATOMIC_RELAXED);
    const uint32_t parent = NodeAt(child)->parent;
    child = epitome::FindChild(NodeAt(parent), key);
    if (child == 0) child = MakeChild(location, parent, key);
    if (child == 0) return;
  }
  epitome::Record(NodeAt(child), ticks);
}

void CloseUntimed(Location* location, const Frame* frame, uint64_t now) {
  if (event::IsOff(frame)) return PopOff(location, frame);
  const bool logs = location->top <= location->logged && epilog::BeginLogEnd(location, frame, now);
  PopUntimed(location, frame);
  if (logs) epilog::EndLog(location);
}

void ExitSlowly(Location* location, Key key, uint64_t stack) { Exit(location, key, stack, base::Now); }

uint32_t MakeChild(Location* location, uint32_t parent, Key key) {
  uint32_t child;
  {
    Cold cold(location);
    NoteNewPath(key);
    child = epitome::AddChild(location, parent, key);
  }
  if (EPIK_LIKELY(child != location->sink) || !stop_when_full || base::Arena::Exhausted() == 0) return child;
  StopThisThread();
  return 0;
}

uint32_t MakeMetric(Location* location, uint32_t parent, Key key) {
  if (parent == location->sink) return 0;
  uint32_t child;
  if (inside) {
    child = epitome::AddChild(location, parent, key);
  } else {
    Cold cold(location);
    child = epitome::AddChild(location, parent, key);
  }
  return child != location->sink ? child : 0;
}

bool MakeRoomForFrame(Location* location) {
  if (EPIK_UNLIKELY(__atomic_load_n(&location->limit, __ATOMIC_RELAXED) == 0)) {
    const uint32_t whole = WholeLimit(location);
    if (!IsPauseWanted()) GiveFrames(location, whole);
    if (location->top < whole) return true;
  }
  Cold cold(location);
  if (IsOverflowMark(location)) {
    ++location->overflow;
    ++NodeAt(location->sink)->visits;
    return false;
  }
  if (frame_limit == 0 && GrowFrames(location)) return true;
  PushAt(location, kOverflowKey, location->sink, location->last, FrameAt(location->top)->stack);
  location->overflow = 1;
  ++NodeAt(location->sink)->visits;
  return false;
}

void ExitMismatched(Location* location, Key key, uint64_t now, uint64_t stack) {
  if (IsOverflowMark(location)) {
    // An exit from further out than the last frame there was room for: a longjmp skipped what was above.
    const bool left_behind = stack > FrameAt(location->top)->stack;
    if (!left_behind) {
      if (--location->overflow == 0) PopOverflowMark(location);
      return;
    }
    PopOverflowMark(location);
  }
  if (IsFarAway(location, stack) && fibers::StartFollowing(location, stack))
    fibers::FollowStack(location, stack, /*enters=*/false);
  // Never the outermost frame: only the end of the thread closes it.
  for (uint32_t i = location->top; i > location->bottom + 1; --i) {
    if (FrameAt(i)->key != key) continue;
    for (uint32_t above = i + 1; above <= location->top; ++above) {
      if (!EndsByItself(FrameAt(above))) ++location->repairs;
    }
    CloseFrames(location, i, now);
    return;
  }
  ++location->unmatched;
}

}  // namespace epik::episode
