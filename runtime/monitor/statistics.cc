// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/statistics.h"

#include <algorithm>
#include <bit>
#include <new>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"
#include "runtime/base/leak_check.h"
#include "runtime/event/statistics.h"
#include "runtime/monitor/known.h"
#include "runtime/monitor/own_notes.h"
#include "runtime/monitor/own_pages.h"
#include "runtime/monitor/path_statistics.h"
#include "runtime/monitor/period.h"
#include "runtime/monitor/slices.h"
#include "runtime/monitor/table.h"

namespace epik::monitor {

using event::CollectiveEvent;
using event::CollectiveRing;
using event::Location;
using event::StatisticsHead;
using event::StatisticsRow;

bool statistics_on = false;

namespace {

constexpr uint32_t kMostPaths = 1024;  // of a thread, each with its latest calls
constexpr uint32_t kMostPages = 128;
constexpr uint32_t kRemembered = 64;  // call paths that are found without a search

CollectiveRing* RingOf(const Location* location) { return base::LineAt<CollectiveRing>(location->collectives + 1); }

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
    if (made != nullptr) base::LivesOn(made);
    HeadAt(chunk)->state = reinterpret_cast<uint64_t>(made);
    __atomic_store_n(&ring->statistics, chunk, __ATOMIC_RELEASE);
    return made;
  }

  void Work(uint64_t now) {
    const bool shows = now >= publish_at_;
    lost_ += ReadOwnNotes(location_, &taken_, [&](uint64_t, const CollectiveEvent& note) {
      const bool is_call = (note.about & (event::kLinkBit | event::kStepBit)) == 0 && event::IsBack(note);
      if (is_call) Take(note);
      return true;
    });
    Exchange(shows ? OwnPages::Which::kAll : OwnPages::Which::kClosed);
    if (!shows) return;
    publish_at_ = now + TicksOfPeriod();
    for (uint32_t i = 0; i < paths_.size(); ++i) {
      if (paths_[i].calls.total.count() != 0) Publish(&paths_[i], nodes_[i]);
    }
    StatisticsHead* head = HeadAt(first_);
    __atomic_store_n(&head->waited, waited_, __ATOMIC_RELAXED);
    __atomic_store_n(&head->unknown, lost_, __ATOMIC_RELAXED);
  }

 private:
  struct Path {
    StatisticsRow* row;
    PathStatistics calls;
  };

  LocationStatistics(Location* location, uint32_t chunk)
      : location_(location),
        view_(OwnArena(), location),
        first_(chunk),
        last_(chunk),
        pages_(&known.pages, {.salt = kStatisticsSalt, .by_exits = true, .in_order = true, .most = kMostPages}) {}

  static StatisticsHead* HeadAt(uint32_t chunk) { return base::LineAt<StatisticsHead>(chunk + 1); }
  // 0: there is no room.
  static uint32_t NewChunk(const Location* location) {
    return base::Arena::Allocate(base::ChunkKind::kStatistics, base::LineOf(location), base::kChunkLines);
  }

  void Take(const CollectiveEvent& note) {
    OwnPage* page = pages_.Find(note.communicator, note.sequence);
    if (page == nullptr) {
      const Membership members = MembersOf(note.communicator);
      if (members.size == 1 || members.is_inter) return;
      page = members.size == 0 ? nullptr : NewPage(note, members);
    }
    if (page == nullptr) {
      ++lost_;
      return;
    }
    pages_.Add(page, note.sequence,
               {.entered = note.entered, .left = note.left, .node = note.node, .gives = true, .needs_all = true});
  }

  OwnPage* NewPage(const CollectiveEvent& note, const Membership& members) {
    if (pages_.IsFull()) Exchange(OwnPages::Which::kAll);
    if (pages_.IsFull()) pages_.GiveUp(kMostPages / 4, [&](const OwnPage& page) { Lose(page); });
    return pages_.Begin(note.communicator, note.sequence, members);
  }

  void Exchange(OwnPages::Which which) {
    pages_.Exchange(which, [&](const OwnPage& page) {
      Add(page);
      Lose(page);
    });
  }

  // Counts the calls of a page that made room for others, or whose board is gone.
  void Lose(const OwnPage& page) { lost_ += static_cast<uint64_t>(std::popcount(page.news.gone)); }

  // Adds calls that all processes have entered and told of. Adds the calls of one call path together.
  void Add(const OwnPage& page) {
    for (uint32_t rest = page.news.found; rest != 0;) {
      const uint32_t node = page.nodes[std::countr_zero(rest)];
      uint32_t calls = rest;
      if (page.is_mixed) {
        calls = 0;
        for (uint32_t i = 0; i < kOperationsOfPage; ++i) calls |= uint32_t{page.nodes[i] == node} << i;
        calls &= rest;
      }
      rest &= ~calls;
      Path* path = PathOf(node);
      if (path == nullptr) {
        lost_ += static_cast<uint64_t>(std::popcount(calls));
      } else {
        waited_ += path->calls.Add(page.entered, page.left, page.news.last, page.news.first, calls);
      }
    }
  }

  Path* PathOf(uint32_t node) {
    const uint32_t known_at = remembered_[node % kRemembered];
    if (known_at < nodes_.size() && nodes_[known_at] == node) return &paths_[known_at];
    const auto at = static_cast<uint32_t>(std::find(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
    if (at == nodes_.size() && !NewPath(node)) return nullptr;
    remembered_[node % kRemembered] = at;
    return &paths_[at];
  }

  bool NewPath(uint32_t node) {
    const uint32_t at = nodes_.size();
    StatisticsRow* row = at < kMostPaths ? NewRow(node) : nullptr;
    Path* path = row == nullptr ? nullptr : paths_.Slot(at);
    uint32_t* slot = path == nullptr ? nullptr : nodes_.Slot(at);
    if (slot == nullptr) return false;
    *slot = node;
    path->row = row;
    return true;
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

  static void Merge(event::Summary fresh, double median, event::Summary* all) {
    fresh.median = median;
    all->Merge(fresh);
  }

  static void Publish(Path* path, uint32_t node) {
    StatisticsRow row = *path->row;
    ++row.version;
    row.node = node;
    PathStatistics& calls = path->calls;
    Merge(calls.total.Take(), calls.latest.Median(&TimedCall::total), &row.total);
    Merge(calls.arrival.Take(), calls.latest.Median(&TimedCall::arrival), &row.arrival);
    Merge(calls.departure.Take(), calls.latest.Median(&TimedCall::departure), &row.departure);
    event::StoreWords(row, path->row);  // the odd version first
    __atomic_store_n(&path->row->version, row.version + 1, __ATOMIC_RELEASE);
  }

  Location* location_;
  event::RingView view_;
  uint32_t first_, last_;    // chunks
  uint64_t taken_ = 0;       // own notes
  uint64_t publish_at_ = 0;  // medians cost more than all other work
  uint64_t waited_ = 0, lost_ = 0;
  OwnPages pages_;
  Table<uint32_t> nodes_;
  Table<Path> paths_;                      // of the nodes
  uint32_t remembered_[kRemembered] = {};  // guessed places in `paths_`, by node
};

}  // namespace

void SetStatisticsDue(CollectiveRing* ring) {
  ring->statistics_due = statistics_on ? NextDue(ring->written, ring->capacity / 4) : ~uint64_t{0};
}

// Without a board monitors compute the statistics: they must not take empty rows for statistics.
void ComputeStatistics(Location* location, uint64_t now) {
  if (!known.pages.IsOpen()) {
    RingOf(location)->statistics_due = ~uint64_t{0};
    return;
  }
  LocationStatistics* statistics = LocationStatistics::Of(location);
  if (statistics != nullptr) statistics->Work(now);
  SetStatisticsDue(RingOf(location));
}

void ForgetStatistics() { statistics_on = false; }

}  // namespace epik::monitor
