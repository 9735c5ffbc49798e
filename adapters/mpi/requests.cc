// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/requests.h"

#include "adapters/mpi/hash_table.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {
namespace {

using base::Locked;

struct alignas(64) Shard {
  base::SpinLock lock;
  uint64_t serial = 0;
  HashTable<Request> table;
};

// Handles are pointers to objects of a few hundred bytes, or small numbers: their low bits do not tell them apart.
constexpr uint64_t kShards = 64;
Shard shards[kShards];
uint64_t shard_mask = kShards - 1;
Shard& ShardOf(uint64_t key) { return shards[Hash(key) >> 40 & __atomic_load_n(&shard_mask, __ATOMIC_RELAXED)]; }

// Threads take blocks of numbers, so that they do not meet at one counter for each request.
constexpr uint64_t kBlock = 1u << 12;
uint64_t blocks = 0;
__thread uint64_t last_number = 0;

}  // namespace

void UseOneTable() {
  for (const Shard& shard : shards) {
    if (!shard.table.IsEmpty()) return;  // requests of an MPI session
  }
  __atomic_store_n(&shard_mask, 0, __ATOMIC_RELAXED);
}

bool Remember(const Request& request, Request* before) {
  if (request.key == 0) return false;
  Shard& shard = ShardOf(request.key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Add(request.key);
  if (entry == nullptr) return false;
  // MPI reuses handles: the entry may belong to an earlier request of the same handle.
  const bool was_active = entry->serial != 0 && entry->active;
  if (was_active && before != nullptr) *before = *entry;
  *entry = request;
  entry->serial = ++shard.serial;
  return was_active;
}

void RememberUnknown(const Request& request) {
  Shard& shard = ShardOf(request.key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Add(request.key);
  if (entry == nullptr || entry->serial != 0) return;
  *entry = request;
  entry->serial = ++shard.serial;
}

bool FindActive(uint64_t key, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  const Request* entry = shard.table.Find(key);
  if (entry == nullptr || !entry->active) return false;
  *request = *entry;
  return true;
}

bool TakeActive(uint64_t key, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(key);
  if (entry == nullptr || !entry->active) return false;
  *request = *entry;
  if (!IsPersistent(entry->kind)) shard.table.Remove(entry);
  return true;
}

void PutBack(const Request& request) {
  Shard& shard = ShardOf(request.key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Add(request.key);
  if (entry != nullptr && entry->serial == 0) *entry = request;
}

bool SetNumber(uint64_t key, uint64_t number, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  entry->number = number;
  *request = *entry;
  return true;
}

void SetPlace(uint64_t key, uint64_t place) {
  Shard& shard = ShardOf(key);
  const Locked lock(shard.lock);
  if (Request* entry = shard.table.Find(key)) entry->place = place;
}

bool SetSources(uint64_t key, event::RankRun* sources, uint32_t count) {
  Shard& shard = ShardOf(key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  entry->sources = sources;
  entry->sources_count = count;
  return true;
}

void Follow(uint64_t key, const Followed& followed, Kind kind) {
  if (key == 0) return;
  Shard& shard = ShardOf(key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Add(key);
  if (entry == nullptr) return;
  if (entry->serial == 0) {
    *entry = {};
    entry->key = key;
    entry->serial = ++shard.serial;
    entry->kind = kind;
  }
  entry->followed = followed;
}

bool Activate(uint64_t key, bool logged, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  entry->active = true;
  if (!logged) entry->number = 0;
  const bool receives = entry->kind == Kind::kReceives || entry->kind == Kind::kParts;
  entry->unlogged = receives && !logged;
  *request = *entry;
  return true;
}

bool Complete(const Request& request) {
  Shard& shard = ShardOf(request.key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(request.key);
  // The serial number tells whether a new request of the same handle has taken the entry meanwhile.
  if (entry == nullptr || entry->serial != request.serial) return false;
  if (IsPersistent(entry->kind)) {
    entry->active = false;
  } else {
    shard.table.Remove(entry);
  }
  return true;
}

bool Forget(uint64_t key, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  *request = *entry;
  shard.table.Remove(entry);
  return true;
}

uint64_t NewRequest() {
  if (last_number % kBlock == 0) last_number = __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED) * kBlock;
  return ++last_number;
}

}  // namespace epik::mpi
