// SPDX-License-Identifier: BSD-3-Clause
// The way of one event: adapter -> stack -> summary and, if it is selected, trace. Nothing else runs when a function is
// called.
//
// A signal handler with events of its own may interrupt at any instruction. That is safe for three reasons. A frame is
// reserved before it is filled. Each frame restores on exit what it found on entry. And a cold function, which no
// thread enters twice, does the work that cannot be ordered like that.
#ifndef EPIK_RUNTIME_EPISODE_LOCATION_HOT_H_
#define EPIK_RUNTIME_EPISODE_LOCATION_HOT_H_

#include "runtime/base/clock.h"
#include "runtime/base/compiler.h"
#include "runtime/episode/seams_hot.h"
#include "runtime/episode/thread_slot.h"
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
extern EPIK_HIDDEN __thread ThreadSlot current;

// The rare branches. The hot functions jump there and do not call, so they save no register.
EPIK_COLD uint32_t MakeChild(Location* location, uint32_t parent, Key key);  // 0: the thread is not measured any more
EPIK_COLD bool MakeRoomForFrame(Location* location);
EPIK_COLD void ExitMismatched(Location* location, Key key, uint64_t now, uint64_t stack);
EPIK_COLD void EnterSlowly(Location* location, Key key, uint64_t stack);
EPIK_COLD void ExitSlowly(Location* location, Key key, uint64_t stack);
// A signal handler with events of its own came between the clock read and the end of the hook.
EPIK_COLD void EnterInterrupted(Location* location, uint32_t top, uint32_t child, uint64_t entered);
EPIK_COLD void ExitInterrupted(Location* location, uint64_t left, uint64_t node, Key key, uint64_t ticks);
// For a handler that interrupted the exchange of a visit for the one that is due.
EPIK_COLD void ExitInExchange(Location* location, uint64_t left);
// Records a visit whose node does not have its key.
EPIK_COLD void RecordElsewhere(Location* location, uint64_t node, Key key, uint64_t ticks);
// The thread has no location. It may get one now, or the event may need a decision that needs no location.
EPIK_COLD void EnterWithoutLocation(Key key, uint64_t stack);
EPIK_COLD void ExitWithoutLocation(Key key, uint64_t stack);

// A difference of two times: 0 if the second was the earlier one.
EPIK_HOT uint64_t NotNegative(uint64_t ticks) { return EPIK_LIKELY(static_cast<int64_t>(ticks) > 0) ? ticks : 0; }

// The child of the current call path, or 0 when it was never entered from here.
EPIK_HOT uint32_t CurrentChild(const Location* location, Key key) {
  Node* parent = NodeAt(location->node);
  if (const uint32_t last = epitome::LastChild(parent, key); EPIK_LIKELY(last != 0)) return last;
  const uint32_t child = epitome::FindChild(parent, key);
  if (EPIK_LIKELY(child != 0)) epitome::SetLast(parent, child, key);
  return child;
}

// Other processes may take the room away (runtime/event/control.h).
EPIK_HOT bool HasRoomForFrame(const Location* at) { return at->top < base::ReadShared(&at->limit); }

// REQUIRES: room for a frame.
template <class Clock>
EPIK_HOT void Push(Location* location, uint32_t child, Key key, uint64_t stack, Clock now) {
  const uint32_t outer = location->node;  // a handler that changes it restores it
  const uint32_t top = location->top + 1;
  location->top = top;  // reserved first: a handler's frames go above
  EPIK_ORDER();
  Frame* frame = FrameAt(top);
  frame->key = key;
  frame->node = child;
  EPIK_ORDER();  // two stores: to make one of two words takes longer
  frame->outer = outer;
  frame->stack = stack;
  const uint64_t entered = now();  // last, so that our own work is not the region's
  frame->entered = entered;
  EPIK_ORDER();
  location->node = child;
  EPIK_ORDER();
  const bool undisturbed = location->last <= entered && location->top == top;
  if (EPIK_UNLIKELY(!undisturbed)) return EnterInterrupted(location, top, child, entered);
  location->last = entered;
}

// Ends a call that the trace does not know.
struct Untraced {
  static constexpr auto in_exchange = ExitInExchange;
  static constexpr auto interrupted = ExitInterrupted;
  EPIK_HOT static void Popped(Location*) {}
};

// Takes the innermost frame away, and adds the visit that is due.
template <class Trace>
EPIK_HOT void Finish(Location* location, const Frame* frame, uint64_t left, uint64_t node, Key key, uint64_t ticks) {
  location->node = frame->outer;
  EPIK_ORDER();
  if (EPIK_UNLIKELY(location->last > left)) return Trace::interrupted(location, left, node, key, ticks);
  location->last = left;
  --location->top;
  Trace::Popped(location);
  Node* due = NodeAt(node);
  if (EPIK_UNLIKELY(due->key != key)) return RecordElsewhere(location, node, key, ticks);
  epitome::Record(due, ticks);
}

// Close, in a large tree. It is out of line, because small trees never need it.
template <class Trace>
__attribute__((noinline)) void CloseInLargeTree(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  uint64_t node, key;
  ticks = NotNegative(ticks);
  if (!epitome::ExchangeVisit(location, frame, &node, &key, &ticks)) return Trace::in_exchange(location, left);
  Finish<Trace>(location, frame, left, node, key, ticks);
}

// Ends the innermost call. Its end is in the trace already, if it belongs there; Popped tells the trace of its frame.
template <class Trace = Untraced>
EPIK_HOT void Close(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  if (EPIK_UNLIKELY(epitome::IsLarge(location))) return CloseInLargeTree<Trace>(location, frame, left, ticks);
  Finish<Trace>(location, frame, left, frame->node, frame->key, ticks);
}

// REQUIRES: if the ticks are negative, the location's latest event is later than `left`. Cold functions see to that.
EPIK_HOT void PopAfter(Location* location, const Frame* frame, uint64_t left, uint64_t ticks) {
  if (EPIK_UNLIKELY(IsForTrace(location, ticks))) return epilog::PopLogged(location, frame, left, ticks);
  Close(location, frame, left, ticks);
}

EPIK_HOT void Pop(Location* location, const Frame* frame, uint64_t left) {
  __asm__("" : "+r"(frame));  // in one register: clang would use two
  PopAfter(location, frame, left, NotNegative(left - frame->entered));
}

// Handles every case, with any clock.
template <class Clock>
void Enter(Location* location, Key key, uint64_t stack, Clock now) {
  if (!HasRoomForFrame(location) && !MakeRoomForFrame(location)) return;
  uint32_t child = CurrentChild(location, key);
  if (child == 0 && (child = MakeChild(location, location->node, key)) == 0) return;
  Push(location, child, key, stack, now);
}

template <class Clock>
void Exit(Location* location, Key key, uint64_t stack, Clock now) {
  const uint64_t left = now();
  const Frame* frame = FrameAt(location->top);
  if (frame->key != key) return ExitMismatched(location, key, left, stack);
  Pop(location, frame, left);
}

// Handles a child that is not the one that was entered last. This is common, but out of line. Only the search beyond
// the first slot of the table saves the registers it needs.
__attribute__((noinline)) void EnterOther(Location* location, Key key, uint64_t stack);
__attribute__((noinline)) void EnterSearching(Location* location, Key key, uint64_t stack);

// Adapters call this. It handles the usual case: a known path, room on the stack, the TSC.
EPIK_HOT void Enter(Key key, const void* stack_top) {
  const auto stack = reinterpret_cast<uint64_t>(stack_top);
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return IsOff() ? void() : EnterWithoutLocation(key, stack);
  if (EPIK_UNLIKELY(IsUnusual())) return choice::EnterUnusual(key, stack, location);
  const uint32_t child = epitome::LastChild(NodeAt(location->node), key);
  if (child == 0) return EnterOther(location, key, stack);
  if (EPIK_UNLIKELY(!HasRoomForFrame(location))) return EnterSlowly(location, key, stack);
  Push(location, child, key, stack, base::ReadTsc);
}

EPIK_HOT void Exit(Key key, const void* stack_top) {
  const auto stack = reinterpret_cast<uint64_t>(stack_top);
  Location* location = current;
  if (EPIK_UNLIKELY(location == nullptr)) return IsOff() ? void() : ExitWithoutLocation(key, stack);
  if (EPIK_UNLIKELY(IsUnusual())) return choice::ExitUnusual(key, stack, location);
  const uint64_t left = base::ReadTsc();  // first, for the same reason
  const Frame* frame = FrameAt(location->top);
  if (EPIK_UNLIKELY(frame->key != key)) return ExitMismatched(location, key, left, stack);
  PopAfter(location, frame, left, left - frame->entered);
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LOCATION_HOT_H_
