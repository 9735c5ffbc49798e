// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/ranks.h"

#include <cstdlib>

#include "adapters/mpi/hash_table.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {
namespace {

using base::Locked;

struct Ranks {
  uint64_t key = 0;
  int32_t* world = nullptr;  // by rank; freed with the communicator, when nobody may use it
  int32_t count = 0;
};

struct alignas(64) Shard {
  base::SpinLock lock;
  HashTable<Ranks> table;
};
constexpr uint64_t kShards = 16;
Shard shards[kShards];
Shard& ShardOf(uint64_t key) { return shards[Hash(key) >> 40 & (kShards - 1)]; }

bool Find(uint64_t key, Ranks* ranks) {
  Shard& shard = ShardOf(key);
  if (shard.table.IsEmpty()) return false;
  const Locked lock(shard.lock);
  const Ranks* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  *ranks = *entry;
  return true;
}

// Of the group that messages go to.
bool Translate(MPI_Comm comm, Ranks* ranks) {
  int is_inter = 0;
  MPI_Group group, world;
  pmpi.Comm_test_inter(comm, &is_inter);
  const int error = is_inter != 0 ? pmpi.Comm_remote_group(comm, &group) : pmpi.Comm_group(comm, &group);
  if (error != MPI_SUCCESS) return false;
  pmpi.Comm_group(World(), &world);
  pmpi.Group_size(group, &ranks->count);
  const size_t bytes = sizeof(int) * static_cast<size_t>(ranks->count);
  auto* own = static_cast<int*>(std::malloc(2 * bytes));
  if (own != nullptr) {
    int* translated = own + ranks->count;
    for (int i = 0; i < ranks->count; ++i) own[i] = i;
    pmpi.Group_translate_ranks(group, ranks->count, own, world, translated);
    for (int i = 0; i < ranks->count; ++i) own[i] = translated[i] == MPI_UNDEFINED ? -1 : translated[i];
  }
  pmpi.Group_free(&group);
  pmpi.Group_free(&world);
  ranks->world = own;
  return own != nullptr;
}

// Two threads may come here at once: the first one's table stays.
void Keep(Ranks* ranks) {
  Shard& shard = ShardOf(ranks->key);
  const Locked lock(shard.lock);
  Ranks* entry = shard.table.Add(ranks->key);
  if (entry == nullptr) return;
  if (entry->world == nullptr) {
    *entry = *ranks;
    return;
  }
  std::free(ranks->world);
  *ranks = *entry;
}

}  // namespace

int32_t WorldRank(int rank, MPI_Comm comm) {
  if (comm == World() || rank < 0) return rank;
  Ranks ranks;
  const uint64_t key = KeyOf(comm);
  if (!Find(key, &ranks)) {
    ranks.key = key;
    if (!Translate(comm, &ranks)) return -1;
    Keep(&ranks);
  }
  return rank < ranks.count ? ranks.world[rank] : -1;
}

void ForgetRanks(MPI_Comm comm) {
  const uint64_t key = KeyOf(comm);
  Shard& shard = ShardOf(key);
  if (shard.table.IsEmpty()) return;
  const Locked lock(shard.lock);
  Ranks* entry = shard.table.Find(key);
  if (entry == nullptr) return;
  std::free(entry->world);
  shard.table.Remove(entry);
}

}  // namespace epik::mpi
