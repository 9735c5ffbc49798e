// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/types.h"

#include "adapters/mpi/hash_table.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {
namespace {

using base::Locked;

struct Type {
  uint64_t key = 0;
  uint64_t size = 0;
  bool is_freed = false;
};

// Keeps the last few entries that were freed, so that the table does not grow with every type that a program ever made.
constexpr uint32_t kKept = 32;

struct alignas(64) Shard {
  base::SpinLock lock;
  HashTable<Type> table;
  uint64_t freed[kKept] = {};
  uint32_t frees = 0;
};
constexpr uint64_t kShards = 16;
Shard shards[kShards];
Shard& ShardOf(uint64_t key) { return shards[Hash(key) >> 40 & (kShards - 1)]; }

}  // namespace

void KnowTypes() {
  HoldSizes();
  if constexpr (!kChecksTypes) return;
  for (const MPI_Datatype type : TypesFromTheBeginning()) CommittedType(type);
}

void CommittedType(MPI_Datatype type) {
  uint64_t size = 0;
  if (!kChecksTypes || !IsType(type) || HoldsSize(type, &size)) return;
  MPI_Count asked = 0;
  if (pmpi.Type_size_x(type, &asked) != MPI_SUCCESS) return;
  Shard& shard = ShardOf(TypeKey(type));
  const Locked lock(shard.lock);
  if (Type* entry = shard.table.Add(TypeKey(type))) *entry = {TypeKey(type), static_cast<uint64_t>(asked), false};
}

void FreedType(MPI_Datatype type) {
  const uint64_t key = TypeKey(type);
  if (!kChecksTypes || key == 0) return;
  Shard& shard = ShardOf(key);
  const Locked lock(shard.lock);
  Type* entry = shard.table.Find(key);
  if (entry == nullptr || entry->is_freed) return;
  entry->is_freed = true;
  uint64_t& place = shard.freed[shard.frees++ % kKept];
  Type* oldest = place == 0 ? nullptr : shard.table.Find(place);
  if (oldest != nullptr && oldest->is_freed && place != key) shard.table.Remove(oldest);
  place = key;
}

bool FindSize(MPI_Datatype type, uint64_t* size) {
  const uint64_t key = TypeKey(type);
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  const Type* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  *size = entry->size;
  return true;
}

}  // namespace epik::mpi
