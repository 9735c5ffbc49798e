// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/collectors.h"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/metrics.h"
#include "runtime/episode/options.h"
#include "runtime/monitor/known.h"
#include "runtime/monitor/period.h"
#include "runtime/monitor/slices.h"
#include "runtime/monitor/statistics.h"
#include "runtime/monitor/waits.h"

namespace epik::monitor {

using base::ChunkHeader;
using event::CollectiveEvent;
using event::CollectiveRing;
using event::Location;

uint32_t collects = 0;
bool works_in_slices = false;

namespace {

constexpr uint64_t kShareOfArena = 64;
constexpr uint64_t kBufferOfWork = 1u << 20;                      // when no size is set
enum : uint64_t { kCollectives = 1, kMessages = 2, kTeams = 4 };  // bits of EPK_MONITOR

constexpr uint32_t kNotes = event::kNoteCollectives | event::kNoteMessages | event::kNoteTeams;

struct Rings {
  uint64_t events = 0;
  uint32_t kept = 0;  // the notes they keep; `collects` also has those that only the trace needs (MayLackSome)
};
Rings rings;
// Work that is due waits for this moment (config::MonitorSchedule), as long as there is room; 0: it does not wait.
uint32_t scheduled = 0;

// Few notes may come, and the process may be killed.
void SetDueTicks(CollectiveRing* ring, uint64_t now) {
  ring->due_ticks = waits_on || statistics_on ? now + TicksOfPeriod() : ~uint64_t{0};
}

// Makes a ring at the thread's first collective call, because most threads of a program have none. kNoRing: there is no
// room, and later calls do not ask again. The thread's calls are still counted, because other threads continue the
// operations of a communicator.
EPIK_COLD uint32_t MakeRing(Location* location) {
  const episode::Inside guard;
  const auto lines = static_cast<uint32_t>(2 + rings.events / event::kEventsOfLine);
  const uint32_t line = base::Arena::Allocate(base::ChunkKind::kCollectives, base::LineOf(location), lines);
  if (line == 0) {
    location->collectives = event::kNoRing;
    return event::kNoRing;
  }
  auto* ring = base::LineAt<CollectiveRing>(line + 1);
  ring->capacity = static_cast<uint32_t>(rings.events);
  ring->waits = waits_on ? 1 : 0;
  ring->due = WaitsDue(ring);
  SetStatisticsDue(ring);
  SetDueTicks(ring, base::Now());
  __atomic_store_n(&location->collectives, line, __ATOMIC_RELEASE);
  return line;
}

// Counts a call whose waiting time nobody can find.
EPIK_COLD void PutNowhere(Location* location, const CollectiveEvent& event) {
  const bool waits = event::IsStep(event) ? event::MayWait(event) : !event::IsLink(event);
  if (!waits_on || !waits) return;
  const episode::Inside guard;
  episode::AddIntegerAt(location, event.node, event::kWaitsUnknownMetric, 1);
}

// Null: there is no room. Stores the event as four whole words: if it were written in halves on the stack first, each
// load of a word would stall.
EPIK_HOT CollectiveRing* Put(Location* location, const CollectiveEvent& event) {
  uint32_t line = location->collectives;
  if (EPIK_UNLIKELY(line == 0)) line = MakeRing(location);
  if (EPIK_UNLIKELY(line == event::kNoRing)) return PutNowhere(location, event), nullptr;
  auto* ring = base::LineAt<CollectiveRing>(line + 1);
  auto* events = base::LineAt<CollectiveEvent>(line + 2);
  auto* words = reinterpret_cast<event::Word*>(&events[ring->written & (ring->capacity - 1)]);
  __atomic_store_n(&words[0], event.entered, __ATOMIC_RELEASE);
  __atomic_store_n(&words[1], event.left, __ATOMIC_RELEASE);
  __atomic_store_n(&words[2], event.node | uint64_t{event.communicator} << 32, __ATOMIC_RELEASE);
  __atomic_store_n(&words[3], event.sequence | uint64_t{event.about} << 32, __ATOMIC_RELEASE);
  // release: a reader that sees the count may read the event
  __atomic_store_n(&ring->written, ring->written + 1, __ATOMIC_RELEASE);
  return ring;
}

bool IsDue(const CollectiveRing* ring, uint64_t now) {
  return ring->written >= ring->due || ring->written >= ring->statistics_due || now >= ring->due_ticks;
}

// Its time belongs to the measurement, not to the call.
EPIK_COLD void Work(Location* location, const void* stack) {
  auto* ring = base::LineAt<CollectiveRing>(location->collectives + 1);
  const int saved_errno = errno;
  episode::Enter(event::RegionKey(event::kMeasurementRegion), stack);
  {
    const episode::Inside guard;
    const base::Locked lock(known.lock);
    OpenBoard();
    const uint64_t now = base::Now();
    if (ring->written >= ring->due || (waits_on && now >= ring->due_ticks)) ExchangeWaits(location, now);
    if (statistics_on) ComputeStatistics(location, now);
    SetDueTicks(ring, now);
  }
  episode::Exit(event::RegionKey(event::kMeasurementRegion), stack);
  errno = saved_errno;
}

// When the thread's innermost call began: near enough to the present time.
EPIK_HOT uint64_t LatestEnter(const Location* location) {
  return event::FrameAt(location->top)->entered & event::kTicksOfFrame;
}

// Returns whether there was work to do.
EPIK_HOT bool WorkIfDue(Location* location, const CollectiveRing* ring, uint64_t now, const void* stack) {
  if (EPIK_LIKELY(ring == nullptr || !IsDue(ring, now))) return false;
  const uint64_t due = std::min(ring->due, ring->statistics_due);
  if (scheduled != 0 && ring->written < due + ring->capacity / 4) return false;  // the work waits for its moment
  Work(location, stack);
  return true;
}

void PutStep(Location* location, const CollectiveEvent& step, const void* stack) {
  const CollectiveRing* ring = Put(location, step);
  if (event::EndsCall(step)) WorkIfDue(location, ring, LatestEnter(location), stack);
}

void Start(const episode::Options& options) {
  waits_on = options.settings.waits && options.settings.summary;
  statistics_on = options.settings.monitor_statistics;
  const bool works = waits_on || statistics_on;
  uint64_t bytes = options.settings.monitor_buffer;
  if (works && bytes == 0) bytes = kBufferOfWork;
  const uint64_t wanted = bytes == 0 ? 0 : episode::adapter_options.monitor_groups;
  rings.kept = ((wanted & kCollectives) != 0 || works ? uint32_t{event::kNoteCollectives} : 0) |
               ((wanted & kMessages) != 0 || waits_on ? uint32_t{event::kNoteMessages} : 0) |
               ((wanted & kTeams) != 0 ? uint32_t{event::kNoteTeams} : 0);
  collects = rings.kept;
  if (episode::MayLackSome(options.settings)) collects |= event::kNoteCollectives | event::kNoteMessages;
  // A thread's ring must not take the room of call paths.
  const uint64_t most = event::Process()->arena.bytes / kShareOfArena;
  const uint64_t events = std::min(bytes, most) / sizeof(CollectiveEvent);
  rings.events = std::bit_floor(std::max<uint64_t>(events, event::kSmallestRing));
  known.room.cells = waits_on ? rings.events : 0;
  known.room.calls = known.room.cells + (statistics_on ? rings.events : 0);
  uint32_t& always = event::Process()->collects;
  always = (always & ~kNotes) | collects;
  scheduled = works ? static_cast<uint32_t>(options.settings.monitor_schedule) : 0;
  works_in_slices = scheduled != 0;
}

void Forget() {
  collects = rings.kept = 0;
  ForgetWaits();
  ForgetStatistics();
  ForgetKnown();
}

}  // namespace

uint64_t NoteCollective(Location* location, CollectiveEvent event, const void* stack) {
  if ((rings.kept & event::kNoteCollectives) == 0) return 0;
  const uint64_t now = event.left == 0 ? base::Now() : 0;
  if (event.left == 0) event.left = now;
  const uint64_t entered = event::FrameAt(location->top)->entered;
  if (event.entered < entered) event.entered = entered;
  event.node = location->node;
  const CollectiveRing* ring = Put(location, event);
  // The work would come after `now`, so it is no longer the present time.
  return WorkIfDue(location, ring, event.left, stack) ? 0 : now;
}

uint64_t NoteCall(Location* location, uint32_t communicator, uint32_t sequence, uint32_t about, const void* stack) {
  if (EPIK_UNLIKELY((rings.kept & event::kNoteCollectives) == 0)) return 0;
  const uint64_t now = base::Now();
  const uint64_t entered = event::FrameAt(location->top)->entered;
  const CollectiveRing* ring = Put(location, {entered, now, location->node, communicator, sequence, about});
  return WorkIfDue(location, ring, now, stack) ? 0 : now;
}

void NoteStep(Location* location, const CollectiveEvent& step, const void* stack) {
  const uint32_t kinds = event::kNoteMessages | (event::IsBegun(step) ? uint32_t{event::kNoteCollectives} : 0);
  if ((rings.kept & kinds) != 0) PutStep(location, step, stack);
}

uint64_t NoteCompletion(Location* location, CollectiveEvent call) {
  if ((rings.kept & event::kNoteMessages) == 0) return 0;
  call.left = base::Now();
  Put(location, call);
  return call.left;
}

void WorkAfterCall(const void* stack) {
  Location* location = episode::current;
  if (location == nullptr || !event::HasRing(location)) return;
  WorkIfDue(location, base::LineAt<CollectiveRing>(location->collectives + 1), LatestEnter(location), stack);
}

void NoteTeamBarrier(event::Key key, const void* stack) {
  Location* location = episode::current;
  const event::Frame* frame = location == nullptr ? nullptr : MeasuredFrame(location, key);
  if (frame == nullptr) return;
  CollectiveEvent barrier = {};
  barrier.entered = frame->entered;
  barrier.left = base::Now();
  barrier.node = frame->node;
  barrier.about = static_cast<uint32_t>(event::Step::kTeamBarrier) | event::kStepBit;
  PutStep(location, barrier, stack);
}

void NoteLink(Location* location, CollectiveEvent link) {
  link.node = location->node;
  Put(location, link);
}

void DoWhatIsDue(uint32_t moment, const void* stack) {
  Location* location = episode::current;
  if (moment != scheduled || location == nullptr || !event::HasRing(location)) return;
  const auto* ring = base::LineAt<CollectiveRing>(location->collectives + 1);
  if (IsDue(ring, LatestEnter(location))) Work(location, stack);
}

const episode::Part collectors_part = {.name = "collectors", .start = Start, .forget = Forget};

}  // namespace epik::monitor
