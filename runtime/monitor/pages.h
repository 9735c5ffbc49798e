// SPDX-License-Identifier: BSD-3-Clause
// Pages of the board (board.h). Each has 32 consecutive operations of a communicator. A process tells of many
// operations at once, and takes the times of many at once. So the costs of the lock and of lines fetched from another
// core come once in 32 calls.
#ifndef EPIK_RUNTIME_MONITOR_PAGES_H_
#define EPIK_RUNTIME_MONITOR_PAGES_H_

#include <cstdint>

#include "runtime/monitor/board.h"

namespace epik::monitor {

inline constexpr uint32_t kOperationsOfPage = 32;

// Times of the operations of a page.
using PageTimes = uint64_t[kOperationsOfPage];

// The things that a process tells about the operations of a page, and asks for. Masks have a bit for each operation.
struct PagePart {
  const uint64_t* last = nullptr;   // for each operation: of these times the last counts
  const uint64_t* first = nullptr;  // the same for the first one
  uint32_t tells = 0;               // operations that it tells of for the first time
  uint32_t gives = 0;               // of these, the operations whose times count
  uint32_t all = 0;                 // operations told now or before that it needs once all processes have told
  uint32_t given = 0;               // the same, but as soon as there is a time
  bool takes = true;                // false: it will come again for the operations it needs
  bool in_order = false;            // takes an operation only after all operations in front of it
};

// The answer to a PagePart. The process needs nothing more of the operations in these masks.
struct PageNews {
  uint32_t found = 0;
  uint32_t given = 0;  // of these, the operations with times
  uint32_t gone = 0;   // operations whose times it will never get
  PageTimes last, first;
};

class Pages {
 public:
  // The bytes that this many pages take.
  static uint64_t BytesFor(uint64_t pages);

  // `memory` has BytesFor(pages) bytes, which are zero at first.
  void Open(void* memory, uint64_t pages);
  bool IsOpen() const { return buckets_ != nullptr; }
  void Close() { buckets_ = nullptr; }

  // Tells and takes operations of `members` processes. Returns false if there is no board.
  bool Exchange(const Board::Place& place, uint32_t members, const PagePart& part, PageNews* news);

 private:
  static constexpr uint32_t kPages = 4;
  struct Page {
    uint64_t latest;  // time
    uint32_t told;    // how often processes have told, summed over all operations
    uint32_t open;    // of these, the number that still need times of others
    uint32_t there;   // operations that some process has told of
    uint32_t given;   // of these, the operations with times
    uint64_t reserved[5];
    uint16_t parts[kOperationsOfPage];  // processes that have told
    PageTimes last, first;
  };
  static_assert(sizeof(Page) == 640);
  struct Bucket {
    uint32_t lock;
    uint32_t broken;        // in the first bucket: no process uses the board any more
    uint64_t keys[kPages];  // 0: the page is free
    uint64_t reserved[3];
    Page pages[kPages];
  };
  static_assert(sizeof(Bucket) == 2624);

  static Page* Find(Bucket* bucket, uint64_t key);
  static Page* Make(Bucket* bucket, uint64_t key);
  static void Tell(const PagePart& part, Page* page);
  static void Take(const PagePart& part, uint32_t members, Page* page, PageNews* news);

  Bucket* buckets_ = nullptr;
  uint64_t mask_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_PAGES_H_
