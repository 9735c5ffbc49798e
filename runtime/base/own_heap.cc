// SPDX-License-Identifier: BSD-3-Clause
// Memory for `new` within libepk.so. We cannot use the program's malloc: it may be instrumented or counted, it may hold
// a lock that a thread had when the process forked, and the handler that we run in may have interrupted it.
//
// Blocks have sizes that are powers of two. A block that is given back waits in the list of its size for the next one
// that asks. Every list is whole between any two stores, so a forked child loses at most the block that was being
// taken.
#include "runtime/base/own_heap.h"

#include <cstdint>

#include "runtime/base/own_pages.h"
#include "runtime/base/spinlock.h"

namespace epik::base {
namespace {

constexpr size_t kAlignment = 16;
constexpr unsigned kLeastBits = 5;  // 32 bytes, the head included
constexpr unsigned kMostBits = 17;  // larger blocks have mappings of their own
constexpr size_t kPieceBytes = 256u << 10;

// In front of each block, and as large as what blocks are aligned to.
struct alignas(kAlignment) Head {
  uint64_t bytes;  // the head included
  Head* next;      // while it waits
};

struct Heap {
  SpinLock lock;
  Head* free[kMostBits + 1] = {};
  char* piece = nullptr;  // rest of the last mapping
  size_t left = 0;
};
constinit Heap heap;

unsigned BitsOf(size_t bytes) {
  unsigned bits = kLeastBits;
  while ((size_t{1} << bits) < bytes) ++bits;
  return bits;
}

// REQUIRES: the lock.
bool HasRoom(size_t bytes) {
  if (heap.left >= bytes) return true;
  void* piece = TakePages(kPieceBytes);
  if (piece == nullptr) return false;
  heap.piece = static_cast<char*>(piece);
  heap.left = kPieceBytes;
  return true;
}

Head* TakeNew(size_t bytes) {
  if (!HasRoom(bytes)) return nullptr;
  auto* head = reinterpret_cast<Head*>(heap.piece);
  heap.left -= bytes;
  heap.piece += bytes;
  head->bytes = bytes;
  return head;
}

Head* Take(size_t bytes) {
  const unsigned bits = BitsOf(bytes);
  if (bits > kMostBits) {
    auto* head = static_cast<Head*>(TakePages(bytes));
    if (head != nullptr) head->bytes = bytes;
    return head;
  }
  const Locked lock(heap.lock);
  Head* first = heap.free[bits];
  if (first == nullptr) return TakeNew(size_t{1} << bits);
  heap.free[bits] = first->next;
  return first;
}

}  // namespace

bool ReserveOwn() {
  const Locked lock(heap.lock);
  return HasRoom(kPieceBytes / 2);
}

void* TakeOwn(size_t bytes) {
  Head* head = bytes > SIZE_MAX / 2 ? nullptr : Take(bytes + sizeof(Head));
  return head == nullptr ? nullptr : head + 1;
}

void GiveOwn(void* block) {
  if (block == nullptr) return;
  Head* head = static_cast<Head*>(block) - 1;
  if (head->bytes > size_t{1} << kMostBits) {
    GivePages(head, head->bytes);
    return;
  }
  const unsigned bits = BitsOf(head->bytes);
  const Locked lock(heap.lock);
  head->next = heap.free[bits];
  heap.free[bits] = head;
}

void ForgetOwnHeapLock() { heap.lock.Reset(); }

}  // namespace epik::base
