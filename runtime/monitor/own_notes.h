// SPDX-License-Identifier: BSD-3-Clause
// Reads a ring of notes in the thread that writes it: the ring does not change meanwhile, and nothing is copied.
#ifndef EPIK_RUNTIME_MONITOR_OWN_NOTES_H_
#define EPIK_RUNTIME_MONITOR_OWN_NOTES_H_

#include <cstdint>

#include "runtime/base/arena.h"
#include "runtime/event/collectives.h"

namespace epik::monitor {

// As RingView::ReadAll. REQUIRES: the location is the caller's, and has a ring.
template <class Take>
uint64_t ReadOwnNotes(const event::Location* location, uint64_t* next, Take take) {
  const auto* ring = base::LineAt<event::CollectiveRing>(location->collectives + 1);
  const auto* events = base::LineAt<event::CollectiveEvent>(location->collectives + 2);
  const uint64_t written = ring->written, capacity = ring->capacity;
  uint64_t number = *next, lost = 0;
  if (written - number > capacity) {
    lost = written - capacity - number;
    number += lost;
  }
  while (number < written && take(number, events[number & (capacity - 1)])) ++number;
  *next = number;
  return lost;
}

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_OWN_NOTES_H_
