// SPDX-License-Identifier: BSD-3-Clause
// A part of the measurement: trace, counters, filter, teams and so on. Lifecycle and locations know no part by name. At
// the moments below, they go through the list of all parts (runtime/measurement/parts.cc).
#ifndef EPIK_RUNTIME_EPISODE_PART_H_
#define EPIK_RUNTIME_EPISODE_PART_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

struct Options;

struct StackRange;

// A part implements the moments that it needs.
struct Part {
  const char* name;

  // The measurement starts, in the order of the list; no location exists yet. Inside.
  void (*start)(const Options& options) = nullptr;
  // The measurement ends at `now`, within the calls that the calling thread has open: readers close them. Inside.
  void (*stopping)(event::Location* location, uint64_t now) = nullptr;
  // The measurement ends and no thread has a location: the part writes last values, and notes for the report.
  void (*finish)() = nullptr;
  // In a forked child, while the memory of its parent is still there: no thread but this one exists.
  void (*forget)() = nullptr;

  // The calling thread has got a location whose first frame is open. Inside.
  void (*opened)(event::Location* location) = nullptr;
  // The calling thread goes on to measure. `within`: a measured thread created it, or it belongs to a team. Inside.
  void (*begins)(event::Location* location, bool within) = nullptr;
  // The thread ends; pauses must end now. Not inside.
  void (*ends)() = nullptr;
  // Its frames are about to be closed at `now`. Inside.
  void (*closing)(event::Location* location, uint64_t now) = nullptr;
  // The calling thread has no location any more. Inside.
  void (*closed)() = nullptr;
  // The calling thread jumps to `landing` (location.h, IsLeft). `alive`: the innermost frame that stays.
  void (*jumped)(event::Location* location, uint64_t landing, const StackRange& handlers, uint32_t alive) = nullptr;
};

struct PartList {
  const Part* const* first;
  const Part* const* last;
  const Part* const* begin() const { return first; }
  const Part* const* end() const { return last; }
};

}  // namespace epik::episode

namespace epik::measurement {

// All parts, in the order in which they start.
extern const episode::PartList parts;

}  // namespace epik::measurement

namespace epik::episode {

// Calls one moment of each part that implements it.
template <class... Of, class... Given>
void ForEachPart(void (*Part::*moment)(Of...), Given... given) {
  for (const Part* part : measurement::parts) {
    if (part->*moment != nullptr) (part->*moment)(given...);
  }
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_PART_H_
