// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/depth.h"

#include <cstdio>

#include "runtime/base/thread_memory.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/hook_state.h"
#include "runtime/episode/options.h"
#include "runtime/episode/seams_hot.h"

namespace epik::choice {

using event::FrameAt;
using event::Key;
using event::Location;
using event::NodeAt;

namespace {

// How often a measured call has called itself, too deep. Each stack that the thread runs on may have one.
struct Again {
  uint64_t stack;  // of the measured call
  uint64_t times;  // 0: this place is free
};
constexpr uint32_t kStacks = 16;

struct Known {
  const Location* location;
  uint32_t node;   // the call path asked for last: the same again, as long as nothing is measured below it
  uint32_t depth;  // its own
  // The call that was too deep last. A signal handler may be on any other stack.
  uint64_t stack;
  Key key;
  Again again[kStacks];
  uint32_t next;
  bool crowded;  // there were more, and the oldest have made room
};
EPIK_PER_THREAD base::PerThread<Known> known;

Again* AgainAt(uint64_t stack) {
  for (Again& one : known->again) {
    if (one.times != 0 && one.stack == stack) return &one;
  }
  return nullptr;
}

void CountAgain(uint64_t stack) {
  Again* again = AgainAt(stack);
  if (again == nullptr) {
    again = &known->again[known->next++ % kStacks];
    if (again->times != 0) known->crowded = true;
    *again = {stack, 0};
  }
  ++again->times;
}

void Forget(uint64_t stack) {
  if (Again* again = AgainAt(stack); again != nullptr) again->times = 0;
}

uint32_t DepthOf(const Location* location) {
  const uint32_t node = location->node;
  if (known->location == location && known->node == node) return known->depth;
  uint32_t depth = 0;
  // Calls and returns go one step at a time. Counting from the root each time would take a deep recursion time that
  // grows with the square of its depth.
  if (known->location == location && known->node != 0 && NodeAt(node)->parent == known->node) {
    depth = known->depth + 1;
  } else if (known->location == location && known->depth != 0 && NodeAt(known->node)->parent == node) {
    depth = known->depth - 1;
  } else {
    for (uint32_t n = node; n != 0 && NodeAt(n)->parent != 0; n = NodeAt(n)->parent) ++depth;
  }
  known->location = location;
  known->node = node;
  known->depth = depth;
  return depth;
}

// In a forked child call paths have other numbers.
void Start(const episode::Options& options) {
  *known = {};
  if (options.depth == 0) return;
  hooks.depth_limit = options.depth;
  episode::SeeEachEvent();
}

void Finish() {
  if (hooks.depth_limit == 0) return;
  char text[112];
  std::snprintf(text, sizeof text,
                "functions nested deeper than %u were not measured, their time is their callers' (EPK_DEPTH)",
                hooks.depth_limit);
  episode::Note(text);
}

}  // namespace

bool IsTooDeep(Location* location, Key key, uint64_t stack) {
  if (!event::IsFunction(key)) return false;
  const uint32_t depth = DepthOf(location);
  if (depth < hooks.depth_limit) {
    // The program may have jumped out of calls that were too deep, so another call may be at this place of the stack
    // now.
    if (depth + 1 == hooks.depth_limit) Forget(stack);
    return false;
  }
  known->stack = stack;
  known->key = key;
  const event::Frame* innermost = FrameAt(location->top);
  if (location->top != location->bottom && innermost->key == key) CountAgain(innermost->stack);
  return true;
}

// We note nothing else about calls that are too deep, so the exit itself must show whether its call was too deep: a
// nested call has its hook further down the stack. If the function's own frame has grown meanwhile (a variable array),
// the count of its calls to itself shows it.
bool WasTooDeep(const Location* location, Key key, uint64_t stack) {
  if (!event::IsFunction(key) || location->top == location->bottom || DepthOf(location) < hooks.depth_limit)
    return false;
  const event::Frame* innermost = FrameAt(location->top);
  const bool is_latest = known->stack == stack && known->key == key;
  known->stack = 0;
  if (innermost->key != key) return is_latest || stack <= innermost->stack;
  Again* again = AgainAt(innermost->stack);
  const bool may_have_been = again != nullptr || known->crowded;
  const bool was = may_have_been && (is_latest || stack < innermost->stack);
  if (again != nullptr) again->times = was ? again->times - 1 : 0;
  return was;
}

bool IsTaskTooDeep(uint32_t below) {
  if (hooks.depth_limit == 0) return false;
  uint32_t depth = 0;
  for (uint32_t n = below; n != 0 && NodeAt(n)->parent != 0 && depth < hooks.depth_limit; n = NodeAt(n)->parent)
    ++depth;
  return depth >= hooks.depth_limit;
}

const episode::Part depth_part = {.name = "depth", .start = Start, .finish = Finish};

}  // namespace epik::choice
