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

// Handles are pointers to objects of a few hundred bytes, or small numbers: the low bits say nothing.
constexpr uint64_t kShards = 64;
Shard shards[kShards];
Shard& ShardOf(uint64_t key) { return shards[Hash(key) >> 40 & (kShards - 1)]; }

}  // namespace

void Remember(const Request& request) {
  if (request.key == 0) return;
  Shard& shard = ShardOf(request.key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Add(request.key);
  if (entry == nullptr) return;
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

bool Activate(uint64_t key, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  entry->active = true;
  *request = *entry;
  return true;
}

void Complete(const Request& request) {
  Shard& shard = ShardOf(request.key);
  const Locked lock(shard.lock);
  Request* entry = shard.table.Find(request.key);
  if (entry == nullptr || entry->serial != request.serial) return;
  if (entry->kind == Kind::kReceive || entry->kind == Kind::kFile) return shard.table.Remove(entry);
  entry->active = false;
}

void Forget(uint64_t key) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return;
  const Locked lock(shard.lock);
  if (Request* entry = shard.table.Find(key)) shard.table.Remove(entry);
}

}  // namespace epik::mpi
