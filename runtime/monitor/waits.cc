// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/waits.h"

#include <cerrno>
#include <new>

#include "runtime/base/spinlock.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/metrics.h"
#include "runtime/monitor/neighbours.h"
#include "runtime/monitor/pending_waits.h"

namespace epik::episode {

using event::CollectiveEvent;
using event::CollectiveRing;
using event::CollectiveRole;
using event::RingView;

bool waits_on = false;

namespace {

constexpr uint32_t kMostSearches = 3;

// All under the lock: one thread of a process exchanges at a time.
struct Known {
  base::SpinLock lock;
  Table<Neighbour> neighbours;
  uint32_t searches = 0;
};
constinit Known known;

event::MappedArena OwnArena() { return {base::arena_base, event::Process()->arena.bytes}; }

CollectiveRing* RingOf(const Location* location) { return base::LineAt<CollectiveRing>(location->collectives + 1); }

// Adds to the call paths of a location.
class Adder final : public WaitSink {
 public:
  explicit Adder(Location* location) : location_(location) {}
  void Waited(uint32_t node, uint64_t ticks) override { AddIntegerAt(location_, node, event::kWaitTicksMetric, ticks); }
  void Unknown(uint32_t node) override { AddIntegerAt(location_, node, event::kWaitsUnknownMetric, 1); }

 private:
  Location* location_;
};

// Another process, as one location reads it.
struct Peer {
  explicit Peer(const Neighbour& neighbour) : rank(neighbour.rank), reader(neighbour.arena) {}

  struct Ring {
    uint64_t next;   // event
    uint64_t guess;  // of PendingWaits::Meet
  };
  int32_t rank;
  ArenaReader reader;
  Table<Ring> rings;  // as reader.rings()
};

// Of one location.
class LocationWaits {
 public:
  static LocationWaits* Of(Location* location) {
    CollectiveRing* ring = RingOf(location);
    if (ring->state == 0) {
      auto* made = new (std::nothrow) LocationWaits(location);
      if (made != nullptr) made->pending_ = PendingWaits::Make(ring->capacity);
      if (made == nullptr || made->pending_ == nullptr) return delete made, nullptr;
      ring->state = reinterpret_cast<uint64_t>(made);
    }
    return reinterpret_cast<LocationWaits*>(ring->state);
  }

  // `last`: no process does anything any more.
  void Exchange(bool last) {
    FindPeers();
    own_.Update();
    TakeOwn();
    pending_->Index();
    for (Peer* peer : peers_) Read(peer, last);
    if (last) pending_->GiveUp(&adder_);
    ring_->settled = taken_ - pending_->unsettled();
  }

 private:
  // A communicator as this location has used it.
  struct Used {
    Membership members;
    bool is_known;
    uint32_t last;  // sequence number of the latest call; 0: none
  };
  enum : uint32_t { kOfOthers = ~0u, kLater = ~0u - 1 };

  explicit LocationWaits(Location* location)
      : ring_(RingOf(location)),
        view_(OwnArena(), location),
        own_(OwnArena()),
        adder_(location),
        root_(location->root) {}

  void FindPeers() {
    const uint32_t others = event::Process()->ranks - 1;
    if (known.neighbours.size() < others && known.searches < kMostSearches) {
      ++known.searches;
      FindNeighbours(&known.neighbours);
    }
    while (peers_.size() < known.neighbours.size()) {
      auto* peer = new (std::nothrow) Peer(known.neighbours[peers_.size()]);
      Peer** place = peer == nullptr ? nullptr : peers_.Add();
      if (place == nullptr) return delete peer;
      *place = peer;
    }
  }

  CollectiveRole RoleOf(uint32_t node) {
    const Key key = NodeAt(node)->key;
    if (!event::IsRegion(key)) return CollectiveRole::kNone;
    uint8_t* role = roles_.Slot(event::RegionOf(key));
    if (role == nullptr) return CollectiveRole::kNone;
    if (*role == 0) {
      const char* name = NameOfRegion(event::RegionOf(key));
      const CollectiveRole found = name == nullptr ? CollectiveRole::kNone : event::RoleOfCollective(name);
      *role = static_cast<uint8_t>(static_cast<uint8_t>(found) + 1);
    }
    return static_cast<CollectiveRole>(*role - 1);
  }

  Used* UsedBy(uint32_t number) {
    Used* used = used_.Slot(number);
    if (used == nullptr || used->is_known) return used;
    if (number == 0) {
      const event::ProcessHeader* process = event::Process();
      used->members = {0, 0, process->rank, process->ranks, false, known.neighbours.size() + 1 == process->ranks};
    } else if (const DefinedCommunicator* defined = own_.Find(number)) {
      used->members = defined->members;
      used->members.whole = AreNeighbours(known.neighbours, defined->runs, defined->run_count);
    }
    used->is_known = true;
    return used;
  }

  void TakeOwn() {
    const uint64_t lost = view_.Read(&taken_, [&](uint64_t number, const CollectiveEvent& event) {
      if (event::IsLink(event)) {
        pending_->Begin(number, event, CollectiveRole::kNone, {}, &adder_);
        return true;
      }
      Used* used = UsedBy(event.communicator);
      if (used == nullptr) {
        adder_.Unknown(event.node);
        return true;
      }
      used->last = event.sequence;
      pending_->Begin(number, event, RoleOf(event.node), used->members, &adder_);
      return true;
    });
    // Links of trees among them count, too.
    for (uint64_t i = 0; i < lost; ++i) adder_.Unknown(root_);
  }

  // Our number of the communicator that has this number at a peer.
  uint32_t OwnNumber(Peer* peer, uint32_t number, int32_t* rank) {
    *rank = peer->rank;
    if (number == 0) return 0;
    const DefinedCommunicator* theirs = peer->reader.Find(number);
    if (theirs == nullptr || !theirs->has_us) return kOfOthers;
    *rank = theirs->members.rank;
    const DefinedCommunicator* ours = own_.FindById(theirs->members.id, number);
    return ours == nullptr ? uint32_t{kLater} : ours->members.number;
  }

  // Whether a peer is ahead of this location: its part is read when we have come there. A communicator that another
  // thread of ours uses never comes.
  bool IsAhead(uint32_t number, const CollectiveEvent& part) {
    const Used* used = number == kLater ? nullptr : UsedBy(number);
    if (used == nullptr || used->last == 0) return own_.rings().size() <= 1;
    return static_cast<int32_t>(part.sequence - used->last) > 0;
  }

  void Read(Peer* peer, bool last) {
    peer->reader.Update();
    for (uint32_t i = 0; i < peer->reader.rings().size(); ++i) {
      Peer::Ring* ring = peer->rings.Slot(i);
      const RingView view(peer->reader.arena(), peer->reader.rings()[i]);
      if (ring == nullptr || !view.IsThere()) continue;
      view.Read(&ring->next, [&](uint64_t, const CollectiveEvent& part) {
        if (event::IsLink(part)) return true;
        int32_t rank = -1;
        const uint32_t number = OwnNumber(peer, part.communicator, &rank);
        if (number == kOfOthers) return true;
        if (IsAhead(number, part)) return last;
        pending_->Meet(number, part, peer->rank, rank, &ring->guess, &adder_);
        return true;
      });
    }
  }

  CollectiveRing* ring_;
  RingView view_;
  ArenaReader own_;
  Adder adder_;
  uint32_t root_;
  uint64_t taken_ = 0;  // own events
  PendingWaits* pending_ = nullptr;
  Table<Peer*> peers_;
  Table<Used> used_;      // by own number
  Table<uint8_t> roles_;  // by region: the role + 1; 0: not looked up
};

// Whether everybody has come to the latest call, so that what the others did before is there.
bool HasSynchronized(const Location* location) {
  const Key key = NodeAt(location->node)->key;
  const char* name = event::IsRegion(key) ? NameOfRegion(event::RegionOf(key)) : nullptr;
  const CollectiveRole role = name == nullptr ? CollectiveRole::kNone : event::RoleOfCollective(name);
  return role == CollectiveRole::kBarrier || role == CollectiveRole::kAllToAll;
}

}  // namespace

uint64_t FirstDue(uint64_t capacity) { return capacity / 2; }

void ExchangeWaits(Location* location, const void* stack) {
  CollectiveRing* ring = RingOf(location);
  const uint64_t late = ring->due + ring->capacity / 4;
  if (ring->written < late && !HasSynchronized(location)) return;
  ring->due = ring->written + ring->capacity / 2;
  const int saved_errno = errno;
  // Its time is the measurement's, not the call's.
  Enter(event::RegionKey(event::kMeasurementRegion), stack);
  {
    const Inside guard;
    const base::Locked lock(known.lock);
    LocationWaits* waits = LocationWaits::Of(location);
    if (waits != nullptr) waits->Exchange(false);
  }
  Exit(event::RegionKey(event::kMeasurementRegion), stack);
  errno = saved_errno;
}

void SettleWaits() {
  if (!waits_on) return;
  const base::Locked lock(known.lock);
  event::ForEachPlace(OwnArena(), [](Location* location) {
    if (location->collectives == 0) return;
    LocationWaits* waits = LocationWaits::Of(location);
    if (waits != nullptr) waits->Exchange(true);
  });
}

void ForgetWaits() {
  waits_on = false;
  known.lock.Reset();
  ForgetNeighbours(&known.neighbours);
  known.searches = 0;
}

}  // namespace epik::episode
