// SPDX-License-Identifier: BSD-3-Clause
// Tells the other processes of the machine the notes of one thread, and holds the calls whose waiting time is not known
// yet, because other processes have not told their times. The wait states are those of analysis/patterns, by the same
// rules (analysis/replay/facts.cc, stretches.h): a test compares the two.
#ifndef EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_
#define EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_

#include <cstdint>

#include "runtime/event/collective_roles.h"
#include "runtime/event/collectives.h"
#include "runtime/monitor/board.h"
#include "runtime/monitor/membership.h"
#include "runtime/monitor/own_pages.h"
#include "runtime/monitor/rendezvous.h"
#include "runtime/monitor/table.h"

namespace epik::monitor {

// Tells PendingWaits the meaning of notes, and gets the waiting times.
class WaitWorld {
 public:
  virtual Membership MembersOf(uint32_t communicator) = 0;
  virtual event::CollectiveRole RoleOfNode(uint32_t node) = 0;
  virtual event::CollectiveRole RoleOfBegun(uint32_t region) = 0;
  virtual void Waited(uint32_t node, event::CollectiveRole role, uint64_t ticks) = 0;
  virtual void Unknown(uint32_t node) = 0;

 protected:
  ~WaitWorld() = default;
};

class PendingWaits {
 public:
  // `most`: entries that may be pending; if there are more, the oldest are given up. `rank`: rank of this process in
  // MPI_COMM_WORLD.
  PendingWaits(Board* board, Pages* pages, WaitWorld* world, int32_t rank, uint32_t most)
      : board_(board),
        world_(world),
        rank_(rank),
        most_(most),
        pages_(pages, {.salt = kWaitsSalt, .by_exits = false, .in_order = false, .most = most / kOperationsOfPage}) {}

  // Takes the thread's next note. It may be settled at once.
  void Take(const event::CollectiveEvent& note);
  // Some notes before the next one are lost: gives up the calls that they belong to.
  void Lose();
  // Takes the times that others have told of messages, and of operations that another call completes.
  void TryMessages();
  // Tells the others of all other operations, and takes their times. TryManyOperations exchanges only full or finished
  // pages; the rest waits.
  void TryOperations() { Exchange(OwnPages::Which::kAll); }
  void TryManyOperations() { Exchange(OwnPages::Which::kClosed); }
  void Try() {
    TryMessages();
    TryOperations();
  }
  // Other processes tell nothing any more: gives up all entries.
  void GiveUp();

  // Whether a standard send of this size must be noted with its end.
  bool MayNeedReceive(int32_t receiver, uint64_t bytes) const { return rendezvous_.MayNeed(receiver, bytes); }

  uint32_t size() const { return entries_.size() + pages_.open(); }
  // The number of looks at entries so far.
  uint64_t steps() const { return steps_; }
  void Clear() {
    entries_.Clear();
    pages_.Clear();
    rendezvous_.Clear();
  }

 private:
  static constexpr uint64_t kWaitsSalt = 0x636f6d6d;
  static constexpr uint32_t kNone = UINT32_MAX;

  enum class Kind : uint8_t {
    kOperation,
    kMessage,
    kProbe,   // saw a message, but does not take it
    kAnswer,  // the answer to a synchronous send
    // The same, as parts of a call that completes several operations; the call's entry comes behind its parts.
    kPartOperation,
    kPartMessage,
    kPartAnswer,
    kPartUnknown,
    kCall,
    kTest,
  };
  struct Entry {
    Board::Place place;
    uint64_t stream;  // for a scan; for a standard send: its bytes
    uint64_t entered, left;
    uint64_t ready;  // when the last of the calls that it needs had begun
    uint32_t node, sequence;
    uint32_t members;
    // Own, in the communicator; for a scan: number of lower ranks that are not known yet; for a standard send: the
    // receiver in MPI_COMM_WORLD.
    int32_t rank;
    event::CollectiveRole role;
    Kind kind;
    bool is_known;  // `ready` is
    bool any;       // some process gave data
    bool after_probe;
    bool answers;      // the sender waits for the enter of this call
    bool is_shared;    // a probe took the message out of its channel: both it and the receive need the time
    bool is_standard;  // the answer is for a standard send
    // A send takes both from the answer on the board (BoardCell). A receive gives both: Board::Receipt has them.
    bool was_there;
    uint64_t away;  // 0: nobody knows it
  };
  // The part that a process has in an operation.
  struct Role {
    event::CollectiveRole role;
    bool gives, wants;
  };

  Role RoleOf(event::CollectiveRole role, const event::CollectiveEvent& note, const Membership& members, bool is_root);
  void TakeOperation(const event::CollectiveEvent& note);
  void TakeScan(const event::CollectiveEvent& note);
  OwnPage* NewPage(const event::CollectiveEvent& note);
  void Exchange(OwnPages::Which which);
  void SettlePage(const OwnPage& page);
  void TakeBegun(const event::CollectiveEvent& note);
  void TakeEnded(const event::CollectiveEvent& note);
  void TakeStep(const event::CollectiveEvent& step);
  void TakeCall(const event::CollectiveEvent& step);
  bool PostPart(const Role& role, const event::CollectiveEvent& note, const Membership& members);
  static bool IsPart(const Entry& entry) {
    return entry.kind >= Kind::kPartOperation && entry.kind <= Kind::kPartUnknown;
  }
  void Add(const Entry& entry);
  void MakeRoom();
  void GiveUpOldest(uint32_t wanted);
  void GiveUp(uint32_t begin, uint32_t end);
  void DropOpen();
  bool Find(Entry* entry);
  bool FindOperation(Entry* entry);
  bool FindMessage(Entry* entry);
  void Settle(const Entry& entry);
  bool IsInTurn(const Entry* parts, const Entry* end, const Entry& call);
  void HoldBack(const Entry* parts, const Entry* end, const Entry& call);
  bool DecideStandard(Entry* parts, const Entry* end, const Entry& call);
  void SettleCall(Entry* parts, uint32_t count, const Entry& call);
  bool IsProbed(const Entry& message, uint32_t kept) const;
  uint32_t SettleParts(uint32_t begin, uint32_t end, const Entry& call);

  Board* board_;
  WaitWorld* world_;
  int32_t rank_;
  uint32_t most_;
  OwnPages pages_;
  Table<Entry> entries_;
  Rendezvous rendezvous_;
  uint64_t steps_ = 0;
  uint32_t open_from_ = kNone;  // from this entry on there are parts whose call is still to come, and their probes
  bool parts_lost_ = false;     // some of these parts are lost
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_
