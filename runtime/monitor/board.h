// SPDX-License-Identifier: BSD-3-Clause
// A hash table in memory that the processes of a machine share. Each of them puts the beginnings of its calls there and
// takes what it needs of the others': so a call costs each process the same, however many there are.
//
// Any process may be killed at any time. Who waits too long for a lock then declares the board broken, and nobody uses
// it any more.
#ifndef EPIK_RUNTIME_MONITOR_BOARD_H_
#define EPIK_RUNTIME_MONITOR_BOARD_H_

#include <cstdint>

namespace epik::monitor {

// The beginnings of one operation, or of one message.
struct BoardCell {
  uint64_t key;     // 0: the cell is free
  uint64_t last;    // of those that give data, the last beginning. 0: nobody has given any so far
  uint64_t first;   // the first one; of statistics: the first end; of a synchronous send: when its receive was posted
  uint32_t posted;  // processes that have put their part there
  uint32_t taken;   // processes that need nothing of it any more
};

class Board {
 public:
  struct Place {
    uint64_t key = 0;
    uint64_t home = 0;
  };
  // Of the `sequence`-th thing of a stream. Neighbours in a stream lie side by side.
  static Place PlaceOf(uint64_t stream, uint64_t sequence);

  // How many bytes so many cells take.
  static uint64_t BytesFor(uint64_t cells);

  // `memory` is of BytesFor(cells), and zeros at first.
  void Open(void* memory, uint64_t cells);
  bool IsOpen() const { return buckets_ != nullptr; }
  void Close() { buckets_ = nullptr; }

  // The part of one process in an operation of `members`, which must be all there before the cell goes. `wants`: it
  // will take the result. `result`: the cell as it is then. False: there is no board.
  struct Part {
    uint64_t last = 0;   // of which the last one counts
    uint64_t first = 0;  // the same for the first one
    bool gives = false;
    bool wants = false;
    uint32_t members = 0;
  };
  bool Post(const Place& place, const Part& part, BoardCell* result);
  // One process tells a time to `takers` others.
  bool Tell(const Place& place, uint64_t time, uint32_t takers);

  // Looks at the cell. False: it is not there.
  bool Look(const Place& place, BoardCell* result);
  // Takes what a process needs of an operation of `members`, or (1) of what one process has told; it needs nothing more
  // of it then. False: that is not there so far.
  enum class Need { kAll, kGiven, kAnswered };  // all parts; a time; the time of an answer
  bool Take(const Place& place, Need need, uint32_t members, BoardCell* result);
  // The same of a message, whose receive was posted then.
  bool Answer(const Place& place, uint64_t time, BoardCell* result);

 private:
  static constexpr uint32_t kCells = 7;
  struct Bucket {
    uint32_t lock;
    uint32_t broken;   // of the first one: nobody uses the board any more
    uint32_t spilled;  // cells of this bucket that found no room here, and are in the next one
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
