// SPDX-License-Identifier: BSD-3-Clause
// Tells other processes of the machine about one thread's notes, and keeps the calls whose waiting is not known yet,
// because others have not told so far. The wait states are those of analysis/patterns, by the same rules
// (analysis/replay/facts.cc, stretches.h): a test compares the two.
#ifndef EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_
#define EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_

#include <cstdint>

#include "runtime/event/collective_roles.h"
#include "runtime/event/collectives.h"
#include "runtime/monitor/board.h"
#include "runtime/monitor/membership.h"
#include "runtime/monitor/own_pages.h"
#include "runtime/monitor/table.h"

namespace epik::monitor {

// Knows the meaning of notes, and takes the results.
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
  // `most`: entries that may be pending; behind them, the oldest are given up. `rank`: of this process in
  // MPI_COMM_WORLD.
  PendingWaits(Board* board, Pages* pages, WaitWorld* world, int32_t rank, uint32_t most)
      : board_(board),
        world_(world),
        rank_(rank),
        most_(most),
        pages_(pages, {.salt = kWaitsSalt, .by_exits = false, .in_order = false, .most = most / kOperationsOfPage}) {}

  // The next own note. It may be settled at once.
  void Take(const event::CollectiveEvent& note);
  // Some notes before the next one are lost.
  void Lose();
  // Takes what others have told of messages, and of operations that another call completes.
  void TryMessages();
  // Tells them of all other operations, and what they have told; or of many at once, so that the rest waits.
  void TryOperations() { Exchange(OwnPages::Which::kAll); }
  void TryManyOperations() { Exchange(OwnPages::Which::kClosed); }
  void Try() {
    TryMessages();
    TryOperations();
  }
  // Nobody tells anything any more.
  void GiveUp();

  uint32_t size() const { return entries_.size() + pages_.open(); }
  // How many entries were looked at so far, each time that they were.
  uint64_t steps() const { return steps_; }
  void Clear() {
    entries_.Clear();
    pages_.Clear();
  }

 private:
  static constexpr uint64_t kWaitsSalt = 0x636f6d6d;
  static constexpr uint32_t kNone = UINT32_MAX;

  enum class Kind : uint8_t {
    kOperation,
    kMessage,
    kProbe,   // of a message: it does not take it
    kAnswer,  // of a synchronous send
    // The same for a call that completes several; it comes behind them.
    kPartOperation,
    kPartMessage,
    kPartAnswer,
    kPartUnknown,
    kCall,
    kTest,
  };
  struct Entry {
    Board::Place place;
    uint64_t stream;  // of a scan
    uint64_t entered, left;
    uint64_t ready;  // when the last of those that it needs had begun
    uint32_t node, sequence;
    uint32_t members;
    int32_t rank;  // own, in the communicator; of a scan: ranks below that are not known yet
    event::CollectiveRole role;
    Kind kind;
    bool is_known;  // `ready` is
    bool any;       // somebody had something to give
    bool after_probe;
    bool answers;  // when it was entered is what the sender waits for
  };
  // The role of a process in an operation.
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
  void SettleCall(Entry* parts, uint32_t count, const Entry& call);
  bool IsProbed(const Entry& message, uint32_t kept) const;
  uint32_t SettleParts(uint32_t begin, uint32_t end, const Entry& call);

  Board* board_;
  WaitWorld* world_;
  int32_t rank_;
  uint32_t most_;
  OwnPages pages_;
  Table<Entry> entries_;
  uint64_t steps_ = 0;
  uint32_t open_from_ = kNone;  // from this entry on there are parts whose call comes, and probes of theirs
  bool parts_lost_ = false;     // some of them are not there
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_PENDING_WAITS_H_
