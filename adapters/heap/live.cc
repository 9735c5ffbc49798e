// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/heap/live.h"

#include <sys/mman.h>

#include "runtime/base/spinlock.h"

namespace epik::heap {
namespace {

constexpr unsigned kShardBits = 6;
constexpr uint32_t kShards = 1u << kShardBits;
constexpr uint64_t kFirstSlots = 1u << 9;

// A hash table with open addressing, at most two thirds full. Its memory comes from mmap: malloc would call us again.
struct alignas(64) Shard {
  base::SpinLock lock;
  Block* slots;
  uint64_t count;  // of slots, a power of two
  uint64_t used;
};
Shard shards[kShards];

uint64_t Hash(uint64_t address) { return (address >> 4) * 0x9e3779b97f4a7c15u; }
Shard& ShardOf(uint64_t hash) { return shards[hash >> (64 - kShardBits)]; }
uint64_t SlotOf(const Shard& shard, uint64_t address) { return (Hash(address) >> 24) & (shard.count - 1); }

Block* Map(uint64_t count) {
  void* memory =
      mmap(nullptr, count * sizeof(Block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Block*>(memory);
}

void Insert(Shard* shard, const Block& block) {
  uint64_t i = SlotOf(*shard, block.address);
  while (shard->slots[i].address != 0) i = (i + 1) & (shard->count - 1);
  shard->slots[i] = block;
  ++shard->used;
}

bool MakeRoom(Shard* shard) {
  if (shard->used * 3 < shard->count * 2) return true;
  const uint64_t count = shard->count == 0 ? kFirstSlots : shard->count * 2;
  Block* slots = Map(count);
  if (slots == nullptr) return shard->used + 1 < shard->count;
  Block* old = shard->slots;
  const uint64_t old_count = shard->count;
  shard->slots = slots;
  shard->count = count;
  shard->used = 0;
  for (uint64_t i = 0; i < old_count; ++i) {
    if (old[i].address != 0) Insert(shard, old[i]);
  }
  if (old != nullptr) munmap(old, old_count * sizeof(Block));
  return true;
}

// Moves later entries into the hole, because a search stops at the first empty slot.
void Remove(Shard* shard, uint64_t hole) {
  const uint64_t mask = shard->count - 1;
  for (uint64_t i = (hole + 1) & mask; shard->slots[i].address != 0; i = (i + 1) & mask) {
    const uint64_t home = SlotOf(*shard, shard->slots[i].address);
    const bool reaches = ((i - home) & mask) >= ((i - hole) & mask);
    if (!reaches) continue;
    shard->slots[hole] = shard->slots[i];
    hole = i;
  }
  shard->slots[hole] = {};
  --shard->used;
}

}  // namespace

bool Keep(const Block& block) {
  Shard& shard = ShardOf(Hash(block.address));
  const base::Locked lock(shard.lock);
  if (!MakeRoom(&shard)) return false;
  Insert(&shard, block);
  return true;
}

Block Take(uint64_t address) {
  Shard& shard = ShardOf(Hash(address));
  const base::Locked lock(shard.lock);
  if (shard.count == 0) return {};
  for (uint64_t i = SlotOf(shard, address); shard.slots[i].address != 0; i = (i + 1) & (shard.count - 1)) {
    if (shard.slots[i].address != address) continue;
    const Block block = shard.slots[i];
    Remove(&shard, i);
    return block;
  }
  return {};
}

void ForEach(void (*each)(const Block& block, void* context), void* context) {
  for (Shard& shard : shards) {
    const base::Locked lock(shard.lock);
    for (uint64_t i = 0; i < shard.count; ++i) {
      if (shard.slots[i].address != 0) each(shard.slots[i], context);
    }
  }
}

// Around a fork: the child must not inherit a lock that another thread holds.
void LockAll() {
  for (Shard& shard : shards) shard.lock.Lock();
}

void UnlockAll() {
  for (Shard& shard : shards) shard.lock.Unlock();
}

void ForgetPlaces() {
  for (Shard& shard : shards) {
    for (uint64_t i = 0; i < shard.count; ++i) shard.slots[i].place = 0;
  }
}

}  // namespace epik::heap
