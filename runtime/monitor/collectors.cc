// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/collectors.h"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/monitor/known.h"
#include "runtime/monitor/statistics.h"
#include "runtime/monitor/waits.h"

namespace epik::monitor {

using base::ChunkHeader;
using event::CollectiveEvent;
using event::CollectiveRing;
using event::Location;

uint32_t collects = 0;

namespace {

constexpr uint64_t kShareOfArena = 64;
constexpr uint64_t kBufferOfWork = 1u << 20;                      // when no size is set
enum : uint64_t { kCollectives = 1, kMessages = 2, kTeams = 4 };  // bits of EPK_MONITOR

constexpr uint32_t kNotes = event::kNoteCollectives | event::kNoteMessages | event::kNoteTeams;

uint64_t ring_events = 0;
// What is due waits for this moment (config::MonitorSchedule), as long as there is room; 0: for none.
uint32_t scheduled = 0;

// Made at the first collective call: most threads of a program have none. 0: there is no room, and none is asked for
// again.
EPIK_COLD uint32_t MakeRing(Location* location) {
  const episode::Inside guard;
  const auto lines = static_cast<uint32_t>(2 + ring_events / event::kEventsOfLine);
  const uint32_t line = base::Arena::Allocate(base::ChunkKind::kCollectives, base::LineOf(location), lines);
  if (line == 0) {
    location->log_kinds &= ~kNotes;
    return 0;
  }
  auto* ring = base::LineAt<CollectiveRing>(line + 1);
  ring->capacity = static_cast<uint32_t>(ring_events);
  ring->waits = waits_on ? 1 : 0;
  ring->due = waits_on ? FirstDue(ring_events) : ~uint64_t{0};
  SetStatisticsDue(ring, base::Now());
  __atomic_store_n(&location->collectives, line, __ATOMIC_RELEASE);
  return line;
}

// Null: there is no room.
CollectiveRing* Put(Location* location, const CollectiveEvent& event) {
  uint32_t line = location->collectives;
  if (EPIK_UNLIKELY(line == 0) && (line = MakeRing(location)) == 0) return nullptr;
  auto* ring = base::LineAt<CollectiveRing>(line + 1);
  auto* events = base::LineAt<CollectiveEvent>(line + 2);
  event::StoreWords(event, &events[ring->written & (ring->capacity - 1)]);
  // release: who sees the count may read the event
  __atomic_store_n(&ring->written, ring->written + 1, __ATOMIC_RELEASE);
  return ring;
}

bool IsDue(const CollectiveRing* ring, uint64_t now) {
  return ring->written >= ring->due || ring->written >= ring->statistics_due || now >= ring->statistics_ticks;
}

// Its time is the measurement's, not the call's.
EPIK_COLD void Work(Location* location, const void* stack) {
  const CollectiveRing* ring = base::LineAt<CollectiveRing>(location->collectives + 1);
  const int saved_errno = errno;
  episode::Enter(event::RegionKey(event::kMeasurementRegion), stack);
  {
    const episode::Inside guard;
    const base::Locked lock(known.lock);
    OpenBoard();
    if (ring->written >= ring->due) ExchangeWaits(location);
    if (statistics_on) ComputeStatistics(location, base::Now());
  }
  episode::Exit(event::RegionKey(event::kMeasurementRegion), stack);
  errno = saved_errno;
}

// `now`: as far as the caller knows it.
void WorkIfDue(Location* location, const CollectiveRing* ring, uint64_t now, const void* stack) {
  if (EPIK_LIKELY(ring == nullptr || !IsDue(ring, now))) return;
  const uint64_t due = std::min(ring->due, ring->statistics_due);
  const bool waits_for_moment = scheduled != 0 && ring->written < due + ring->capacity / 4;
  if (!waits_for_moment) Work(location, stack);
}

void Start(const episode::Options& options) {
  waits_on = options.settings.waits && options.settings.summary;
  statistics_on = options.settings.monitor_statistics;
  const bool works = waits_on || statistics_on;
  uint64_t bytes = options.settings.monitor_buffer;
  if (works && bytes == 0) bytes = kBufferOfWork;
  const uint64_t wanted = bytes == 0 ? 0 : episode::adapter_options.monitor_groups;
  collects = ((wanted & kCollectives) != 0 || works ? uint32_t{event::kNoteCollectives} : 0) |
             ((wanted & kMessages) != 0 || waits_on ? uint32_t{event::kNoteMessages} : 0) |
             ((wanted & kTeams) != 0 ? uint32_t{event::kNoteTeams} : 0);
  // A thread's ring must not take the room of call paths.
  const uint64_t most = event::Process()->arena.bytes / kShareOfArena;
  const uint64_t events = std::min(bytes, most) / sizeof(CollectiveEvent);
  ring_events = std::bit_floor(std::max<uint64_t>(events, event::kSmallestRing));
  known.notes = (waits_on ? ring_events : 0) + (statistics_on ? ring_events : 0);
  uint32_t& always = event::Process()->collects;
  always = (always & ~kNotes) | collects;
  scheduled = works ? static_cast<uint32_t>(options.settings.monitor_schedule) : 0;
}

void Forget() {
  collects = 0;
  ForgetWaits();
  ForgetStatistics();
  ForgetKnown();
}

}  // namespace

void NoteCollective(Location* location, CollectiveEvent event, const void* stack) {
  const event::Frame* frame = event::FrameAt(location->top);
  if (event.left == 0) event.left = base::Now();
  const uint64_t entered = frame->entered & event::kTicksOfFrame;
  if (event.entered < entered) event.entered = entered;
  event.node = location->node;
  WorkIfDue(location, Put(location, event), event.left, stack);
}

void NoteStep(Location* location, CollectiveEvent step, const void* stack) {
  if (step.entered == 0) step.entered = event::FrameAt(location->top)->entered & event::kTicksOfFrame;
  if (step.node == 0) step.node = location->node;
  WorkIfDue(location, Put(location, step), 0, stack);  // a step has no time at which it ended
}

void NoteTeamBarrier(const void* stack) {
  CollectiveEvent barrier = {};
  barrier.left = base::Now();
  barrier.about = static_cast<uint32_t>(event::Step::kTeamBarrier) | event::kStepBit;
  NoteStep(episode::current, barrier, stack);
}

void NoteLink(Location* location, CollectiveEvent link) {
  link.node = location->node;
  Put(location, link);
}

void DoWhatIsDue(uint32_t moment, const void* stack) {
  Location* location = episode::current;
  if (moment != scheduled || location == nullptr || location->collectives == 0) return;
  const auto* ring = base::LineAt<CollectiveRing>(location->collectives + 1);
  if (IsDue(ring, statistics_on ? base::Now() : 0)) Work(location, stack);
}

const episode::Part collectors_part = {.name = "collectors", .start = Start, .forget = Forget};

}  // namespace epik::monitor
