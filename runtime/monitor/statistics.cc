// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/statistics.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/event/statistics.h"
#include "runtime/monitor/known.h"
#include "runtime/monitor/table.h"

namespace epik::monitor {

using event::CollectiveEvent;
using event::CollectiveRing;
using event::Location;
using event::Running;
using event::StatisticsHead;
using event::StatisticsRow;
using event::Summary;

bool statistics_on = false;

namespace {

constexpr uint64_t kNotes = 64;              // after so many, or
constexpr uint64_t kPeriodNs = 250'000'000;  // after that long, at the next note
constexpr uint32_t kMostPaths = 1024;        // of a thread, each with its latest calls
constexpr uint32_t kMostPending = 4096;
constexpr uint32_t kMostLacking = 8;

CollectiveRing* RingOf(const Location* location) { return base::LineAt<CollectiveRing>(location->collectives + 1); }

// Asked for once: no clock drifts so far that it matters here.
uint64_t TicksOfPeriod() {
  static constinit uint64_t ticks = 0;
  const uint64_t known_ticks = __atomic_load_n(&ticks, __ATOMIC_RELAXED);
  if (known_ticks != 0) return known_ticks;
  const base::ClockPair first = event::Process()->first_pair, now = base::ReadClockPair();
  if (!base::clock_is_tsc || now.ns <= first.ns || now.ticks <= first.ticks) return kPeriodNs;
  const double ticks_per_ns = static_cast<double>(now.ticks - first.ticks) / static_cast<double>(now.ns - first.ns);
  const auto period = static_cast<uint64_t>(static_cast<double>(kPeriodNs) * ticks_per_ns);
  // Soon after the first reading the scale is not known well.
  if (now.ns - first.ns > kPeriodNs) __atomic_store_n(&ticks, period, __ATOMIC_RELAXED);
  return period;
}

// Keeps the statistics of one location.
class LocationStatistics {
 public:
  // Null: no memory.
  static LocationStatistics* Of(Location* location) {
    CollectiveRing* ring = RingOf(location);
    if (ring->statistics != 0) return reinterpret_cast<LocationStatistics*>(HeadAt(ring->statistics)->state);
    const uint32_t chunk = NewChunk(location);
    if (chunk == 0) return nullptr;
    auto* made = new (std::nothrow) LocationStatistics(location, chunk);
    HeadAt(chunk)->state = reinterpret_cast<uint64_t>(made);
    __atomic_store_n(&ring->statistics, chunk, __ATOMIC_RELEASE);
    return made;
  }

  void Work(uint64_t now) {
    lost_ += view_.Read(&taken_, [&](uint64_t, const CollectiveEvent& note) {
      const bool is_call = !event::IsLink(note) && event::IsBack(note);
      if (is_call) Take(note);
      return true;
    });
    Try();
    if (now < publish_at_) return;
    publish_at_ = now + TicksOfPeriod();
    for (uint32_t i = 0; i < paths_.size(); ++i) {
      if (paths_[i].total.has_fresh()) Publish(&paths_[i], nodes_[i]);
    }
    StatisticsHead* head = HeadAt(first_);
    __atomic_store_n(&head->waited, waited_, __ATOMIC_RELAXED);
    __atomic_store_n(&head->unknown, lost_, __ATOMIC_RELAXED);
  }

 private:
  struct Pending {
    Board::Place place;
    uint64_t communicator;
    uint64_t entered, left;
    uint32_t node, members;
  };
  struct Path {
    StatisticsRow* row;
    Running total, arrival, departure;
  };

  LocationStatistics(Location* location, uint32_t chunk)
      : location_(location), view_(OwnArena(), location), first_(chunk), last_(chunk) {}

  static StatisticsHead* HeadAt(uint32_t chunk) { return base::LineAt<StatisticsHead>(chunk + 1); }
  // 0: there is no room.
  static uint32_t NewChunk(const Location* location) {
    return base::Arena::Allocate(base::ChunkKind::kStatistics, base::LineOf(location), base::kChunkLines);
  }

  void Take(const CollectiveEvent& note) {
    const Membership members = MembersOf(note.communicator);
    if (members.size == 1 || members.is_inter) return;
    const Board::Place place = PlaceOfCall(members, note.sequence);
    BoardCell cell;
    const Board::Part part = {note.entered, note.left, true, true, members.size};
    if (members.size == 0 || !known.board.Post(place, part, &cell)) {
      ++lost_;
      return;
    }
    const Pending call = {place, members.id, note.entered, note.left, note.node, members.size};
    if (pending_.size() >= kMostPending) Try();
    if (pending_.size() >= kMostPending) DropOldest();
    Pending* slot = pending_.Add();
    slot == nullptr ? static_cast<void>(++lost_) : static_cast<void>(*slot = call);
  }

  void DropOldest() {
    const uint32_t gone = kMostPending / 4;
    std::memmove(pending_.begin(), pending_.begin() + gone, (pending_.size() - gone) * sizeof(Pending));
    pending_.Shrink(pending_.size() - gone);
    lost_ += gone;
  }

  // Each process tells its calls on a communicator in their order: behind one that lacks somebody, all do.
  void Try() {
    uint64_t lacking[kMostLacking];  // communicators; when there are more, the rest waits for the next time
    uint32_t lacks = 0, kept = 0;
    for (const Pending& call : pending_) {
      if (lacks == kMostLacking || std::find(lacking, lacking + lacks, call.communicator) != lacking + lacks) {
        pending_[kept++] = call;
        continue;
      }
      BoardCell cell;
      if (known.board.Take(call.place, Board::Need::kAll, call.members, &cell)) {
        Add(call, cell);
      } else if (known.board.Look(call.place, &cell)) {
        lacking[lacks++] = call.communicator;
        pending_[kept++] = call;
      } else {
        ++lost_;  // it made room for others, or there is no board any more
      }
    }
    pending_.Shrink(kept);
  }

  // All have come, and all have told.
  void Add(const Pending& call, const BoardCell& cell) {
    Path* path = PathOf(call.node);
    if (path == nullptr) {
      ++lost_;
      return;
    }
    const uint64_t total = call.left - call.entered, arrival = cell.last - call.entered;
    const auto time = static_cast<double>(call.entered);
    path->total.Add(static_cast<double>(total), time);
    path->arrival.Add(static_cast<double>(arrival), time);
    path->departure.Add(static_cast<double>(call.left - cell.first), time);
    waited_ += std::min(arrival, total);
  }

  Path* PathOf(uint32_t node) {
    if (latest_ < nodes_.size() && nodes_[latest_] == node) return &paths_[latest_];
    latest_ = static_cast<uint32_t>(std::find(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
    if (latest_ < nodes_.size()) return &paths_[latest_];
    StatisticsRow* row = latest_ < kMostPaths ? NewRow(node) : nullptr;
    Path* path = row == nullptr ? nullptr : paths_.Slot(latest_);
    uint32_t* slot = path == nullptr ? nullptr : nodes_.Slot(latest_);
    if (slot == nullptr) return nullptr;
    *slot = node;
    path->row = row;
    return path;
  }

  StatisticsRow* NewRow(uint32_t node) {
    auto* chunk = base::LineAt<base::ChunkHeader>(last_);
    if (chunk->used == event::kRowsOfChunk) {
      const uint32_t next = NewChunk(location_);
      if (next == 0) return nullptr;
      __atomic_store_n(&chunk->next, next, __ATOMIC_RELEASE);
      last_ = next;
      chunk = base::LineAt<base::ChunkHeader>(next);
    }
    StatisticsRow* row = base::LineAt<StatisticsRow>(last_ + 2) + chunk->used;
    row->node = node;
    __atomic_store_n(&chunk->used, chunk->used + 1, __ATOMIC_RELEASE);
    return row;
  }

  static void Publish(Path* path, uint32_t node) {
    StatisticsRow row = *path->row;
    ++row.version;
    row.node = node;
    row.total.Merge(path->total.Take());
    row.arrival.Merge(path->arrival.Take());
    row.departure.Merge(path->departure.Take());
    event::StoreWords(row, path->row);  // the odd version first
    __atomic_store_n(&path->row->version, row.version + 1, __ATOMIC_RELEASE);
  }

  Location* location_;
  event::RingView view_;
  uint32_t first_, last_;    // chunks
  uint64_t taken_ = 0;       // own notes
  uint64_t publish_at_ = 0;  // medians cost more than all else
  uint64_t waited_ = 0, lost_ = 0;
  Table<Pending> pending_;
  Table<uint32_t> nodes_;
  Table<Path> paths_;  // of the nodes
  uint32_t latest_ = 0;
};

}  // namespace

// The stream of a communicator's calls. Those of EPK_WAITS are others.
Board::Place PlaceOfCall(const Membership& members, uint32_t sequence) {
  return Board::PlaceOf(members.id ^ 0x73746174, sequence);
}

void SetStatisticsDue(CollectiveRing* ring, uint64_t now) {
  ring->statistics_due = ring->statistics_ticks = ~uint64_t{0};
  if (!statistics_on) return;
  ring->statistics_due = ring->written + std::min<uint64_t>(kNotes, ring->capacity / 4);
  ring->statistics_ticks = now + TicksOfPeriod();
}

// Without a board monitors compute: nobody must take what is empty for statistics.
void ComputeStatistics(Location* location, uint64_t now) {
  if (!known.board.IsOpen()) {
    RingOf(location)->statistics_due = RingOf(location)->statistics_ticks = ~uint64_t{0};
    return;
  }
  LocationStatistics* statistics = LocationStatistics::Of(location);
  if (statistics != nullptr) statistics->Work(now);
  SetStatisticsDue(RingOf(location), now);
}

void ForgetStatistics() { statistics_on = false; }

}  // namespace epik::monitor
