// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/collectors.h"

#include <algorithm>
#include <bit>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/episode/location.h"
#include "runtime/episode/options.h"
#include "runtime/monitor/waits.h"

namespace epik::episode {

using base::ChunkHeader;
using event::CollectiveEvent;
using event::CollectiveRing;
using event::Location;

bool collects = false;

namespace {

constexpr uint64_t kShareOfArena = 64;
constexpr uint64_t kBufferOfWaits = 1u << 20;  // when only EPK_WAITS is set

uint64_t ring_events = 0;

// Made at the first collective call: most threads of a program have none. 0: there is no room, and none is asked for
// again.
EPIK_COLD uint32_t MakeRing(Location* location) {
  const Inside guard;
  const auto lines = static_cast<uint32_t>(2 + ring_events / event::kEventsOfLine);
  const uint32_t line = base::Arena::Allocate(base::ChunkKind::kCollectives, base::LineOf(location), lines);
  if (line == 0) {
    location->log_kinds &= ~uint32_t{event::kNoteCollectives};
    return 0;
  }
  auto* ring = base::LineAt<CollectiveRing>(line + 1);
  ring->capacity = static_cast<uint32_t>(ring_events);
  ring->waits = waits_on ? 1 : 0;
  ring->due = waits_on ? FirstDue(ring_events) : ~uint64_t{0};
  __atomic_store_n(&location->collectives, line, __ATOMIC_RELEASE);
  return line;
}

// Null: there is no room.
CollectiveRing* Put(Location* location, const CollectiveEvent& event) {
  uint32_t line = location->collectives;
  if (EPIK_UNLIKELY(line == 0) && (line = MakeRing(location)) == 0) return nullptr;
  auto* ring = base::LineAt<CollectiveRing>(line + 1);
  auto* events = base::LineAt<CollectiveEvent>(line + 2);
  events[ring->written & (ring->capacity - 1)] = event;
  // release: who sees the count may read the event
  __atomic_store_n(&ring->written, ring->written + 1, __ATOMIC_RELEASE);
  return ring;
}

void Start(const Options& options) {
  waits_on = options.settings.waits && options.settings.summary;
  uint64_t bytes = options.settings.monitor_buffer;
  if (waits_on && bytes == 0) bytes = kBufferOfWaits;
  collects = bytes != 0;
  // A thread's ring must not take the room of call paths.
  const uint64_t most = event::Process()->arena.bytes / kShareOfArena;
  const uint64_t events = std::min(bytes, most) / sizeof(CollectiveEvent);
  ring_events = std::bit_floor(std::max<uint64_t>(events, event::kSmallestRing));
  uint32_t& always = event::Process()->collects;
  always = (always & ~uint32_t{event::kNoteCollectives}) | (collects ? uint32_t{event::kNoteCollectives} : 0);
}

void Forget() {
  collects = false;
  ForgetWaits();
}

}  // namespace

void NoteCollective(Location* location, CollectiveEvent event, const void* stack) {
  const event::Frame* frame = event::FrameAt(location->top);
  if (event.left == 0) event.left = base::Now();
  const uint64_t entered = frame->entered & event::kTicksOfFrame;
  if (event.entered < entered) event.entered = entered;
  event.node = location->node;
  const CollectiveRing* ring = Put(location, event);
  if (EPIK_UNLIKELY(ring != nullptr && ring->written >= ring->due)) ExchangeWaits(location, stack);
}

void NoteLink(Location* location, CollectiveEvent link) {
  link.node = location->node;
  Put(location, link);
}

const Part collectors_part = {.name = "collectors", .start = Start, .forget = Forget};

}  // namespace epik::episode
