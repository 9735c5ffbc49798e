// SPDX-License-Identifier: BSD-3-Clause
// A hash table in memory that the processes of a machine share. Each process puts the beginnings of its calls there,
// and takes those of the others that it needs. So a call costs each process the same, however many processes there are.
//
// Any process may be killed at any time. A process that then waits too long for a lock declares the board broken, and
// no process uses it any more.
#ifndef EPIK_RUNTIME_MONITOR_BOARD_H_
#define EPIK_RUNTIME_MONITOR_BOARD_H_

#include <cstdint>

namespace epik::monitor {

// The beginnings of one operation, or of one message.
struct BoardCell {
  uint64_t key;     // 0: the cell is free
  uint64_t last;    // last beginning among the processes that give data; 0: none has given any so far
  uint64_t first;   // first beginning; for statistics: the first end; for a synchronous send: when its receive was
                    // posted
  uint32_t posted;  // processes that have put their part there
  uint32_t taken;   // processes that need the cell no longer; kWasThere, kTellsAway, Board::kShared

  // The receiver of a message was in MPI after the send had begun, and before it posted the receive.
  static constexpr uint32_t kWasThere = 1u << 30;
  // Since it left MPI before that, in place of the send's begin. Without it, that is not known.
  static constexpr uint32_t kTellsAway = 1u << 29;
  bool WasThere() const { return (taken & kWasThere) != 0; }
  uint64_t Away() const { return (taken & kTellsAway) != 0 ? last : 0; }
};

class Board {
 public:
  struct Place {
    uint64_t key = 0;
    uint64_t home = 0;
  };
  // The place of the operation or message number `sequence` of a stream. Neighbours in a stream lie side by side.
  static Place PlaceOf(uint64_t stream, uint64_t sequence);

  // The bytes that this many cells take.
  static uint64_t BytesFor(uint64_t cells);

  // `memory` has BytesFor(cells) bytes, which are zero at first.
  void Open(void* memory, uint64_t cells);
  bool IsOpen() const { return buckets_ != nullptr; }
  void Close() { buckets_ = nullptr; }

  // Posts the part of one process in an operation of `members` processes. The cell stays until all of them have posted.
  // `wants`: the process will take the result. `result`: the cell afterwards. False: there is no board.
  struct Part {
    uint64_t last = 0;   // of these times the last counts
    uint64_t first = 0;  // the same for the first one
    bool gives = false;
    bool wants = false;
    uint32_t members = 0;
  };
  bool Post(const Place& place, const Part& part, BoardCell* result);
  // Tells a time of one process to `takers` others.
  bool Tell(const Place& place, uint64_t time, uint32_t takers);

  // Looks at the cell. False: it is not there.
  bool Look(const Place& place, BoardCell* result);
  // Takes the result of an operation of `members` processes, or (1) the time that one process has told. The caller
  // needs the cell no longer then. False: the result is not there yet.
  enum class Need { kAll, kGiven, kAnswered };  // all parts; a time; the time of an answer
  bool Take(const Place& place, Need need, uint32_t members, BoardCell* result);
  // The same for a message. `answers`: tells its sender that the receive was posted at `time`. `is_shared`: the
  // message's probe and its receive both take the time. `away`: when this process had left its last call of MPI before
  // it posted the receive; 0: not known.
  struct Receipt {
    uint64_t time = 0;
    bool answers = false;
    bool is_shared = false;
    uint64_t away = 0;
    bool probed = false;  // it has probed since
  };
  bool TakeMessage(const Place& place, const Receipt& receipt, BoardCell* result);

 private:
  static constexpr uint32_t kCells = 7;
  static constexpr uint32_t kShared = 1u << 31;  // one of the two that share a message has been there
  struct Bucket {
    uint32_t lock;
    uint32_t broken;   // in the first bucket: no process uses the board any more
    uint32_t spilled;  // cells of this bucket that found no room here and are in the next bucket
    uint32_t reserved[5];
    BoardCell cells[kCells];
  };
  static_assert(sizeof(Bucket) == 256);
  class Locked;

  Bucket* buckets_ = nullptr;
  uint64_t mask_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_BOARD_H_
