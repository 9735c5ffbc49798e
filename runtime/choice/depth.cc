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

struct Known {
  const Location* location;
  uint32_t node;   // the call path asked for last: the same again, as long as nothing is measured below it
  uint32_t depth;  // its own
  uint32_t top;    // the frame that calls itself, and
  uint64_t again;  // how often it has, too deep
};
EPIK_PER_THREAD base::PerThread<Known> known;

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

bool IsTooDeep(Location* location, Key key) {
  if (!event::IsFunction(key) || DepthOf(location) < hooks.depth_limit) return false;
  if (location->top != location->bottom && FrameAt(location->top)->key == key) {
    if (known->top != location->top) known->again = 0;
    known->top = location->top;
    ++known->again;
  }
  return true;
}

// Nothing is noted of what is too deep, so an exit must tell by itself: a call further in has its hook further down the
// stack. Where the function's own frame has grown meanwhile (a variable array), how often it has called itself tells.
bool WasTooDeep(const Location* location, Key key, uint64_t stack) {
  if (!event::IsFunction(key) || location->top == location->bottom || DepthOf(location) < hooks.depth_limit)
    return false;
  const event::Frame* innermost = FrameAt(location->top);
  if (innermost->key != key) return stack <= innermost->stack;
  const bool has_called_itself = known->top == location->top && known->again != 0;
  if (stack >= innermost->stack || !has_called_itself) {
    known->top = 0;
    return false;
  }
  --known->again;
  return true;
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
