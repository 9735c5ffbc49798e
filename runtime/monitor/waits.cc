// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/waits.h"

#include <algorithm>
#include <new>

#include "runtime/base/leak_check.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"
#include "runtime/episode/metrics.h"
#include "runtime/monitor/known.h"
#include "runtime/monitor/own_notes.h"
#include "runtime/monitor/pending_waits.h"
#include "runtime/monitor/period.h"
#include "runtime/monitor/slices.h"

namespace epik::monitor {

using event::CollectiveEvent;
using event::CollectiveRing;
using event::CollectiveRole;
using event::Location;
using event::RingView;

bool waits_on = false;

namespace {

CollectiveRing* RingOf(const Location* location) { return base::LineAt<CollectiveRing>(location->collectives + 1); }

// Finds how long the calls of one location waited.
class LocationWaits final : public WaitWorld {
 public:
  // Null: no memory.
  static LocationWaits* Of(Location* location) {
    CollectiveRing* ring = RingOf(location);
    if (ring->state != 0) return reinterpret_cast<LocationWaits*>(ring->state);
    auto* made = new (std::nothrow) LocationWaits(location);
    if (made != nullptr) base::LivesOn(made);
    ring->state = reinterpret_cast<uint64_t>(made);
    return made;
  }

  // `own`: the caller is the thread that writes the notes.
  void Exchange(bool own) {
    pending_.TryMessages();
    TakeNew(own);
    pending_.TryOperations();
    exchanged_ = taken_;
    ring_->settled = taken_ - pending_.size();
  }
  // Looks at the new notes and, now and then, at all pending calls: soon at first, because messages of a size that is
  // known to need no receive cost less; later four times a second at least, because a kill leaves what was found by
  // then.
  void ExchangeNew(uint64_t now) {
    const bool has_many = taken_ - exchanged_ >= std::min<uint64_t>(ring_->capacity / 2, taken_ / 2);
    if (has_many || now >= exchange_at_) {
      exchange_at_ = now + TicksOfPeriod();
      return Exchange(true);
    }
    TakeNew(true);
    ring_->settled = taken_ - pending_.size();
  }
  bool MayNeedReceive(int32_t receiver, uint64_t bytes) const { return pending_.MayNeedReceive(receiver, bytes); }
  // Other processes tell nothing any more.
  void End() {
    pending_.Try();
    pending_.GiveUp();
    ring_->settled = taken_;
  }

  Membership MembersOf(uint32_t communicator) override { return monitor::MembersOf(communicator); }
  CollectiveRole RoleOfNode(uint32_t node) override {
    Remembered* known_role = &remembered_[node % kRemembered];
    if (known_role->node != node) *known_role = {node, RoleOfUnknown(node)};
    return known_role->role;
  }
  CollectiveRole RoleOfBegun(uint32_t region) override { return RoleOf(region, &begun_roles_, event::RoleOfBegun); }
  void Waited(uint32_t node, CollectiveRole role, uint64_t ticks) override {
    episode::AddIntegerAt(location_, node, event::WaitMetric(static_cast<uint32_t>(role)), ticks);
  }
  void Unknown(uint32_t node) override { episode::AddIntegerAt(location_, node, event::kWaitsUnknownMetric, 1); }

 private:
  explicit LocationWaits(Location* location)
      : location_(location),
        ring_(RingOf(location)),
        view_(OwnArena(), location),
        root_(location->root),
        pending_(&known.board, &known.pages, this, event::Process()->rank, 2 * ring_->capacity) {}

  // Takes the new notes in pieces, because there may be many.
  void TakeNew(bool own) {
    uint64_t lost = 0;
    do {
      const uint64_t end = taken_ + kNotesInBulk;
      const auto take = [this, end](uint64_t number, const CollectiveEvent& note) {
        if (number >= end) return false;
        pending_.Take(note);
        return true;
      };
      lost += own ? ReadOwnNotes(location_, &taken_, take) : view_.ReadAll(&taken_, take);
      pending_.TryManyOperations();
    } while (taken_ < view_.Written());
    // Links of trees among them count, too.
    for (uint64_t i = 0; i < lost; ++i) Unknown(root_);
    if (lost != 0) pending_.Lose();
  }

  CollectiveRole RoleOfUnknown(uint32_t node) {
    const event::Key key = event::NodeAt(node)->key;
    return event::IsRegion(key) ? RoleOf(event::RegionOf(key), &roles_, event::RoleOfCollective)
                                : CollectiveRole::kNone;
  }

  // By region: the role + 1; 0: it was not looked up.
  static CollectiveRole RoleOf(uint32_t region, Table<uint8_t>* roles, CollectiveRole (*find)(std::string_view)) {
    uint8_t* role = roles->Slot(region);
    if (role == nullptr) return CollectiveRole::kNone;
    if (*role == 0) {
      const char* name = episode::NameOfRegion(region);
      const CollectiveRole found = name == nullptr ? CollectiveRole::kNone : find(name);
      *role = static_cast<uint8_t>(static_cast<uint8_t>(found) + 1);
    }
    return static_cast<CollectiveRole>(*role - 1);
  }

  Location* location_;
  CollectiveRing* ring_;
  RingView view_;
  uint32_t root_;
  uint64_t taken_ = 0;        // own notes
  uint64_t exchanged_ = 0;    // of these, when all that waits was looked at last
  uint64_t exchange_at_ = 0;  // the time to look at all that waits again
  PendingWaits pending_;
  // Remembers call paths. Node 0 stands for no call path.
  static constexpr uint32_t kRemembered = 64;
  struct Remembered {
    uint32_t node = 0;
    CollectiveRole role = CollectiveRole::kNone;
  };
  Remembered remembered_[kRemembered];
  Table<uint8_t> roles_;
  Table<uint8_t> begun_roles_;
};

void ForEachOfOurs(void (*use)(LocationWaits*)) {
  event::ForEachPlace(OwnArena(), [use](Location* location) {
    if (!event::HasRing(location)) return;
    LocationWaits* waits = LocationWaits::Of(location);
    if (waits != nullptr) use(waits);
  });
}

}  // namespace

uint64_t WaitsDue(const CollectiveRing* ring) {
  if (!waits_on) return ~uint64_t{0};
  return NextDue(ring->written, ring->capacity / 2);
}

bool MayNeedReceive(const Location* location, int32_t receiver, uint64_t bytes) {
  if (!waits_on) return false;
  const uint64_t state = event::HasRing(location) ? RingOf(location)->state : 0;
  return state == 0 || reinterpret_cast<const LocationWaits*>(state)->MayNeedReceive(receiver, bytes);
}

void ExchangeWaits(Location* location, uint64_t now) {
  CollectiveRing* ring = RingOf(location);
  ring->due = WaitsDue(ring);
  LocationWaits* waits = LocationWaits::Of(location);
  if (waits != nullptr) waits->ExchangeNew(now);
}

void TellLastWaits() {
  if (!waits_on) return;
  const base::Locked lock(known.lock);
  OpenBoard();
  ForEachOfOurs([](LocationWaits* waits) { waits->Exchange(false); });
}

void SettleWaits() {
  if (!waits_on) return;
  const base::Locked lock(known.lock);
  ForEachOfOurs([](LocationWaits* waits) { waits->End(); });
}

void ForgetWaits() { waits_on = false; }

}  // namespace epik::monitor
