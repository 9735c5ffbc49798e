// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/board.h"

#include <algorithm>
#include <bit>

#include "runtime/monitor/shared_lock.h"

namespace epik::monitor {

namespace {

constexpr uint64_t kRoomy = 4;  // of the seven cells of a bucket

uint64_t Mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

BoardCell* FindIn(BoardCell* cells, uint32_t count, uint64_t key) {
  for (BoardCell* cell = cells; cell != cells + count; ++cell) {
    if (cell->key == key) return cell;
  }
  return nullptr;
}

}  // namespace

// Locks the bucket of a place, and the next bucket when it is needed. The order is always the same, so that processes
// cannot wait in a circle.
class Board::Locked {
 public:
  Locked(const Board& board, const Place& place) : board_(board), key_(place.key) {
    if (board.buckets_ == nullptr || __atomic_load_n(&board.buckets_->broken, __ATOMIC_RELAXED) != 0) return;
    Bucket* bucket = &board.buckets_[place.home & board.mask_];
    if (Lock(bucket)) bucket_ = bucket;
  }
  ~Locked() {
    if (has_next_) LeaveSharedLock(&bucket_[1].lock);
    if (bucket_ != nullptr) LeaveSharedLock(&bucket_->lock);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  // False: there is no board.
  bool IsGood() const { return bucket_ != nullptr; }
  // Null: the place is free.
  BoardCell* Find() {
    if (bucket_ == nullptr) return nullptr;
    BoardCell* cell = FindIn(bucket_->cells, kCells, key_);
    if (cell != nullptr || bucket_->spilled == 0 || !TakeNext()) return cell;
    return FindIn(bucket_[1].cells, kCells, key_);
  }
  // Drops the oldest cell when no cell is free. Processes that need it will not find it.
  BoardCell* FindOrMake() {
    BoardCell* cell = Find();
    if (cell != nullptr) return cell;
    cell = FindIn(bucket_->cells, kCells, 0);
    if (cell == nullptr && TakeNext()) {
      cell = FindIn(bucket_[1].cells, kCells, 0);
      if (cell != nullptr) ++bucket_->spilled;
    }
    if (cell == nullptr) {
      cell = std::min_element(bucket_->cells, bucket_->cells + kCells,
                              [](const BoardCell& one, const BoardCell& other) { return one.last < other.last; });
    }
    *cell = {};
    cell->key = key_;
    return cell;
  }
  void FreeIfDone(BoardCell* cell, uint32_t members) {
    const uint32_t taken = cell->taken & ~(BoardCell::kWasThere | BoardCell::kTellsAway);
    if (cell->posted < members || taken < cell->posted || (taken & kShared) != 0) return;
    if (has_next_ && cell >= bucket_[1].cells) --bucket_->spilled;
    *cell = {};
  }

 private:
  bool Lock(Bucket* bucket) {
    if (TakeSharedLock(&bucket->lock)) return true;
    __atomic_store_n(&board_.buckets_->broken, 1, __ATOMIC_RELAXED);
    return false;
  }
  bool TakeNext() { return has_next_ = has_next_ || Lock(bucket_ + 1); }

  const Board& board_;
  uint64_t key_;
  Bucket* bucket_ = nullptr;
  bool has_next_ = false;
};

Board::Place Board::PlaceOf(uint64_t stream, uint64_t sequence) {
  const uint64_t mixed = Mixed(stream + 0x9e3779b97f4a7c15u);
  const uint64_t key = Mixed(mixed + sequence * 0x9e3779b97f4a7c15u);
  return {key == 0 ? 1 : key, (mixed >> 20) + sequence};
}

// One bucket more, as the bucket after the last.
uint64_t Board::BytesFor(uint64_t cells) {
  return (std::bit_ceil(std::max<uint64_t>(1, cells / kRoomy)) + 1) * sizeof(Bucket);
}

void Board::Open(void* memory, uint64_t cells) {
  buckets_ = static_cast<Bucket*>(memory);
  mask_ = BytesFor(cells) / sizeof(Bucket) - 2;
}

bool Board::Post(const Place& place, const Part& part, BoardCell* result) {
  Locked locked(*this, place);
  if (!locked.IsGood()) return false;
  BoardCell* cell = locked.FindOrMake();
  if (part.gives) {
    cell->first = cell->last == 0 ? part.first : std::min(cell->first, part.first);
    cell->last = std::max(cell->last, part.last);
  }
  ++cell->posted;
  if (!part.wants) ++cell->taken;
  *result = *cell;
  locked.FreeIfDone(cell, part.members);
  return true;
}

bool Board::Tell(const Place& place, uint64_t time, uint32_t takers) {
  if (takers == 0) return true;
  Locked locked(*this, place);
  if (!locked.IsGood()) return false;
  *locked.FindOrMake() = {place.key, time, 0, takers, 0};
  return true;
}

bool Board::Look(const Place& place, BoardCell* result) {
  Locked locked(*this, place);
  const BoardCell* cell = locked.Find();
  if (cell == nullptr) return false;
  *result = *cell;
  return true;
}

bool Board::Take(const Place& place, Need need, uint32_t members, BoardCell* result) {
  Locked locked(*this, place);
  BoardCell* cell = locked.Find();
  if (cell == nullptr) return false;
  const bool is_there = need == Need::kAll     ? cell->posted >= members
                        : need == Need::kGiven ? cell->last != 0
                                               : cell->first != 0;
  if (!is_there) return false;
  *result = *cell;
  ++cell->taken;
  locked.FreeIfDone(cell, members);
  return true;
}

bool Board::TakeMessage(const Place& place, const Receipt& receipt, BoardCell* result) {
  Locked locked(*this, place);
  BoardCell* cell = locked.Find();
  if (cell == nullptr) return false;
  *result = *cell;
  if (receipt.answers) cell->first = receipt.time;
  const bool tells = receipt.answers && receipt.away != 0;
  if (tells && (receipt.probed || receipt.away > cell->last)) cell->taken |= BoardCell::kWasThere;
  // The first taker leaves the cell to the second one.
  if (receipt.is_shared && (cell->taken & kShared) == 0) {
    cell->taken |= kShared;
    return true;
  }
  if (tells) {
    cell->taken |= BoardCell::kTellsAway;
    cell->last = receipt.away;
  }
  cell->taken = (cell->taken & ~kShared) + 1;
  locked.FreeIfDone(cell, 1);
  return true;
}

}  // namespace epik::monitor
