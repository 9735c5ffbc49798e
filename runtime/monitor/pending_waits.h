// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of one thread of which it is not yet known how long they waited: the parts of the other
// processes come later, from their rings. The wait states are those of analysis/patterns, by the same rules
// (analysis/replay/facts.cc): a test compares the two.
#ifndef EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_
#define EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_

#include <cstdint>

#include "runtime/event/collective_roles.h"
#include "runtime/event/collectives.h"

namespace epik::episode {

// A communicator as the calling process has it.
struct Membership {
  uint64_t id = 0;
  uint32_t number = 0;
  int32_t rank = 0;  // own
  uint32_t size = 0;
  bool is_inter = false;
  bool whole = false;  // the rings of all its processes can be read
};

// Whoever is told.
class WaitSink {
 public:
  virtual void Waited(uint32_t node, uint64_t ticks) = 0;
  virtual void Unknown(uint32_t node) = 0;

 protected:
  ~WaitSink() = default;
};

class PendingWaits {
 public:
  // For the events of a ring of this capacity, a power of two. Null: no memory.
  static PendingWaits* Make(uint64_t capacity);
  void Destroy();

  // An own event; there is one of each number, in order. The one that had its place before is not known.
  void Begin(uint64_t number, const event::CollectiveEvent& event, event::CollectiveRole role,
             const Membership& members, WaitSink* sink);
  // The part of another process in a call of a communicator, which has this number here. `world`, `rank`: of that
  // process in MPI_COMM_WORLD and in the communicator. `guess`: the number of the event that was found last, for the
  // next one is most likely the one behind it.
  void Meet(uint32_t communicator, const event::CollectiveEvent& part, int32_t world, int32_t rank, uint64_t* guess,
            WaitSink* sink);
  // Nobody comes any more.
  void GiveUp(WaitSink* sink);

  // Drops what was found from the index, so that it stays short. Between Begin and Meet.
  void Index();
  uint64_t unsettled() const { return unsettled_; }

 private:
  struct Want {
    uint64_t entered, left;
    uint64_t ready;  // when the last of those that were found had begun; at the root of a gather: the first
    uint32_t node, communicator, sequence;
    uint32_t missing;  // parts that it needs and that are not found; 0: nothing is wanted
    int32_t root;      // in MPI_COMM_WORLD
    int32_t rank;      // own, in the communicator
    event::CollectiveRole role;
    bool any;  // of those found gave data
  };

  Want* Find(uint32_t communicator, uint32_t sequence, uint64_t guess);
  bool Needs(const Want& want, int32_t world, int32_t rank) const;
  void Settle(Want* want, WaitSink* sink);
  uint64_t SlotOf(uint32_t communicator, uint32_t sequence) const;

  uint64_t capacity_ = 0;
  uint64_t begun_ = 0;  // events so far
  uint64_t unsettled_ = 0;
  uint64_t bytes_ = 0;
  Want* wants_ = nullptr;      // by number of the event modulo the capacity
  uint32_t* index_ = nullptr;  // of twice the capacity: place in `wants_` + 1; open addressing
};

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_
