// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/comms.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "adapters/abi/abi.h"
#include "adapters/mpi/hash_table.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/runs.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {
namespace {

using base::Locked;

struct Entry {
  uint64_t key = 0;
  Comm* comm = nullptr;
};
struct alignas(64) Shard {
  base::SpinLock lock;
  HashTable<Entry> table;
};
// Remembers where a handle was found lately. Calls that look it up need no lock, and write nothing that other threads
// read.
// A version is odd while the words beside it change.
struct Remembered {
  uint64_t version = 0;
  uint64_t key = 0;
  Comm* comm = nullptr;
};
constexpr uint64_t kRemembered = 64;
Remembered remembered[kRemembered];
Remembered& PlaceOf(uint64_t key) { return remembered[Hash(key) >> 48 & (kRemembered - 1)]; }

Comm* Recall(uint64_t key) {
  const Remembered& place = PlaceOf(key);
  const uint64_t version = __atomic_load_n(&place.version, __ATOMIC_ACQUIRE);
  const uint64_t found = __atomic_load_n(&place.key, __ATOMIC_ACQUIRE);
  Comm* comm = __atomic_load_n(&place.comm, __ATOMIC_ACQUIRE);
  const bool whole = version % 2 == 0 && __atomic_load_n(&place.version, __ATOMIC_RELAXED) == version;
  return whole && found == key ? comm : nullptr;
}

// Null forgets the handle, unless the place has another handle. If another thread is writing the place, this one gives
// up; it waits only to forget.
void Remember(uint64_t key, Comm* comm) {
  Remembered& place = PlaceOf(key);
  uint64_t version = __atomic_load_n(&place.version, __ATOMIC_RELAXED) & ~uint64_t{1};
  while (
      !__atomic_compare_exchange_n(&place.version, &version, version + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    if (comm != nullptr) return;
    version &= ~uint64_t{1};
  }
  if (comm != nullptr || place.key == key) {
    __atomic_store_n(&place.key, comm == nullptr ? 0 : key, __ATOMIC_RELEASE);
    __atomic_store_n(&place.comm, comm, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&place.version, version + 2, __ATOMIC_RELEASE);
}

constexpr uint64_t kShards = 16;
Shard shards[kShards];
Shard& ShardOf(uint64_t key) { return shards[Hash(key) >> 40 & (kShards - 1)]; }

// Counts the communicators that EPIK cannot name by an older one, so that one MPI_Intercomm_create differs from the
// next.
HashTable<Made> made;
base::SpinLock made_lock;  // of all such tables

base::SpinLock number_lock;
uint32_t numbers = 1;  // given out; 1 is MPI_COMM_SELF's

bool known = false;     // MPI is up: handles may be looked at
Comm* world = nullptr;  // never released

uint64_t TimesMade(uint64_t key, HashTable<Made>* table = &made) {
  const Locked lock(made_lock);
  Made* entry = table->Add(key == 0 ? 1 : key);
  return entry == nullptr ? 0 : ++entry->times;
}

// All processes of `group` as ranks of MPI_COMM_WORLD; −1 for a process outside of it.
int32_t* Translate(MPI_Group group, int32_t count) {
  auto* ranks = static_cast<int*>(std::malloc(2 * sizeof(int) * static_cast<size_t>(std::max(count, 1))));
  if (ranks == nullptr) return nullptr;
  int* translated = ranks + count;
  for (int i = 0; i < count; ++i) ranks[i] = i;
  MPI_Group all;
  pmpi.Comm_group(World(), &all);
  pmpi.Group_translate_ranks(group, count, ranks, all, translated);
  pmpi.Group_free(&all);
  for (int i = 0; i < count; ++i) ranks[i] = translated[i] == MPI_UNDEFINED ? -1 : translated[i];
  return ranks;
}

int32_t* TranslateGroup(decltype(pmpi.Comm_group) group_of, MPI_Comm comm, int32_t count) {
  MPI_Group group;
  if (group_of(comm, &group) != MPI_SUCCESS) return nullptr;
  int32_t* ranks = Translate(group, count);
  pmpi.Group_free(&group);
  return ranks;
}

int32_t* Load(int32_t* const* place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }

// Two threads may translate the same ranks at once: the first result stays, and the other is freed.
void Publish(int32_t** place, int32_t* ranks) {
  int32_t* none = nullptr;
  if (!__atomic_compare_exchange_n(place, &none, ranks, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) std::free(ranks);
}

const int32_t* WorldRanks(Comm* comm, MPI_Comm handle) {
  if (Load(&comm->world) == nullptr) {
    Publish(&comm->world,
            TranslateGroup(comm->is_inter ? pmpi.Comm_remote_group : pmpi.Comm_group, handle, comm->peers));
  }
  return Load(&comm->world);
}

const int32_t* OwnRanks(Comm* comm, MPI_Comm handle) {
  if (!comm->is_inter) return WorldRanks(comm, handle);
  if (Load(&comm->own) == nullptr) Publish(&comm->own, TranslateGroup(pmpi.Comm_group, handle, comm->locals));
  return Load(&comm->own);
}

Comm* Describe(MPI_Comm handle) {
  Comm* comm = new (std::nothrow) Comm;
  if (comm == nullptr) return nullptr;
  int is_inter = 0;
  pmpi.Comm_test_inter(handle, &is_inter);
  pmpi.Comm_rank(handle, &comm->rank);
  pmpi.Comm_size(handle, &comm->locals);
  comm->peers = comm->locals;
  comm->is_inter = is_inter != 0;
  if (comm->is_inter) pmpi.Comm_remote_size(handle, &comm->peers);
  return comm;
}

uint64_t MembersOf(const int32_t* ranks, int32_t count) {
  uint64_t hash = static_cast<uint64_t>(count);
  for (int32_t i = 0; ranks != nullptr && i < count; ++i) hash = Mix(hash, static_cast<uint64_t>(ranks[i]));
  return hash;
}

// The same value in both groups of an intercommunicator, so the groups go in sorted and not as own and remote.
uint64_t MembersOf(Comm* comm, MPI_Comm handle) {
  const uint64_t mine = MembersOf(OwnRanks(comm, handle), comm->locals);
  if (!comm->is_inter) return mine;
  const uint64_t theirs = MembersOf(WorldRanks(comm, handle), comm->peers);
  return Mix(std::min(mine, theirs), std::max(mine, theirs));
}

int32_t First(decltype(pmpi.Comm_group) group_of, MPI_Comm handle) {
  MPI_Group group, all;
  const int zero = 0;
  int translated = MPI_UNDEFINED;
  if (group_of(handle, &group) != MPI_SUCCESS) return -1;
  pmpi.Comm_group(World(), &all);
  pmpi.Group_translate_ranks(group, 1, &zero, all, &translated);
  pmpi.Group_free(&group);
  pmpi.Group_free(&all);
  return translated == MPI_UNDEFINED ? -1 : translated;
}

// Communicators that one call makes (MPI_Comm_split) have disjoint groups, so their first processes tell them apart.
uint64_t FirstOf(const Comm* comm, MPI_Comm handle) {
  const int32_t mine = First(pmpi.Comm_group, handle);
  if (!comm->is_inter) return static_cast<uint64_t>(mine);
  const int32_t theirs = comm->peers == 0 ? -1 : First(pmpi.Comm_remote_group, handle);
  return Mix(static_cast<uint64_t>(std::min(mine, theirs)), static_cast<uint64_t>(std::max(mine, theirs)));
}

// MPI reuses handles: a communicator that had this one before was freed, and requests that still need it keep it.
Comm* Enter(MPI_Comm handle, Comm* comm) {
  Shard& shard = ShardOf(KeyOf(handle));
  Comm* before = nullptr;
  {
    const Locked lock(shard.lock);
    Entry* entry = shard.table.Add(KeyOf(handle));
    if (entry != nullptr) {
      Remember(KeyOf(handle), nullptr);
      before = entry->comm;
      entry->comm = comm;
    } else {
      before = comm;
      comm = nullptr;
    }
  }
  if (before != nullptr) Release(before);
  return comm;
}

bool IsNone(MPI_Comm handle) { return handle == NoComm() || KeyOf(handle) == 0; }

Comm* Add(MPI_Comm handle, uint64_t id) {
  Comm* comm = Describe(handle);
  if (comm == nullptr) return nullptr;
  comm->id = id;
  return Enter(handle, comm);
}

// Tells the core what the number stands for, before the first record or window mentions it.
EPIK_COLD void Define(Comm* comm, MPI_Comm handle, uint32_t number) {
  const int32_t* mine = OwnRanks(comm, handle);
  const int32_t* theirs = comm->is_inter ? WorldRanks(comm, handle) : nullptr;
  Runs runs;
  if (mine != nullptr) runs.Add(mine, comm->locals);
  const uint32_t own = runs.count();
  if (theirs != nullptr) runs.Add(theirs, comm->peers);
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  pmpi.Comm_get_name(handle, name, &length);
  const EpikCommunicator told = {comm->id, number, comm->rank, own, runs.count() - own, runs.data(), name};
  epik_adapter_communicator(&told);
}

}  // namespace

// All processes compute identities from the same numbers, so every step must be the same on every machine: no
// std::hash.
uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void KnowComms() {
  known = true;
  world = Add(World(), Mix(0, 0));
  Comm* self = Add(Self(), 0);
  if (self == nullptr || world == nullptr) return;
  // Each process has an MPI_COMM_SELF of its own, so the rank is part of its identity.
  self->id = Mix(1, static_cast<uint64_t>(world->rank));
  self->number = 1;
  WorldRanks(self, Self());
}

namespace {

__attribute__((noinline)) Comm* Search(uint64_t key) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return nullptr;
  const Locked lock(shard.lock);
  const Entry* entry = shard.table.Find(key);
  if (entry == nullptr) return nullptr;
  Remember(key, entry->comm);
  return entry->comm;
}

// If no wrapper saw the creation, the members are the only identity that all processes can compute alone.
__attribute__((noinline)) Comm* SearchOrMeet(MPI_Comm handle) {
  Comm* comm = Search(KeyOf(handle));
  if (comm != nullptr || !known || IsNone(handle)) return comm;
  comm = Describe(handle);
  if (comm == nullptr) return nullptr;
  comm->id = Mix(2, MembersOf(comm, handle));
  return Enter(handle, comm);
}

}  // namespace

Comm* FindKnown(MPI_Comm handle) {
  if (handle == World()) return world;
  Comm* comm = Recall(KeyOf(handle));
  return EPIK_LIKELY(comm != nullptr) ? comm : Search(KeyOf(handle));
}

Comm* Find(MPI_Comm handle) {
  if (handle == World() && EPIK_LIKELY(world != nullptr)) return world;
  Comm* comm = Recall(KeyOf(handle));
  return EPIK_LIKELY(comm != nullptr) ? comm : SearchOrMeet(handle);
}

Comm* Keep(Comm* comm) {
  if (comm != nullptr) __atomic_fetch_add(&comm->references, 1, __ATOMIC_RELAXED);
  return comm;
}

void Release(Comm* comm) {
  if (comm == nullptr || __atomic_fetch_sub(&comm->references, 1, __ATOMIC_ACQ_REL) != 1) return;
  std::free(comm->world);
  std::free(comm->own);
  comm->made.Clear();
  delete comm;
}

int32_t WorldRank(int rank, const Comm* comm) {
  if (comm == nullptr || rank < 0) return -1;
  if (comm == world) return rank;
  const int32_t* ranks = Load(&comm->world);
  return ranks != nullptr && rank < comm->peers ? ranks[rank] : -1;
}

int32_t WorldRank(int rank, MPI_Comm handle) {
  if (handle == World() || rank < 0) return rank;
  Comm* comm = Find(handle);
  if (comm == nullptr || WorldRanks(comm, handle) == nullptr) return -1;
  return WorldRank(rank, comm);
}

Comm* FindRanked(MPI_Comm handle) {
  Comm* comm = Find(handle);
  WorldRank(0, handle);
  return comm;
}

uint32_t NumberOf(Comm* comm, MPI_Comm handle) {
  if (comm == nullptr || comm == world) return kWorldNumber;
  uint32_t number = __atomic_load_n(&comm->number, __ATOMIC_ACQUIRE);
  if (number != 0) return number;
  WorldRanks(comm, handle);
  const Locked lock(number_lock);
  if (comm->number != 0) return comm->number;  // another thread was faster
  number = ++numbers;
  Define(comm, handle, number);
  __atomic_store_n(&comm->number, number, __ATOMIC_RELEASE);
  return number;
}

// Creating is collective over `comm`, so the n-th creation is the same one in all of its processes.
uint64_t NextIdentity(Comm* comm) { return Mix(comm->id, __atomic_add_fetch(&comm->creations, 1, __ATOMIC_RELAXED)); }

uint64_t IdentityOfMembers(MPI_Comm handle) {
  Comm* comm = Find(handle);
  return comm == nullptr ? 0 : MembersOf(comm, handle);
}

void Created(MPI_Comm old, MPI_Comm handle) {
  Comm* from = known ? Find(old) : nullptr;
  if (from == nullptr) return;
  const uint64_t id = NextIdentity(from);  // processes outside the new communicator count the creation, too
  if (IsNone(handle)) return;
  Comm* comm = Describe(handle);
  if (comm == nullptr) return;
  comm->id = Mix(id, FirstOf(comm, handle));
  comm->is_met = from->is_met;
  Enter(handle, comm);
}

// MPI_Comm_accept, MPI_Comm_connect: each side has another old communicator. Processes of another job compute no
// identity that we know, so the old one will do. MPI_Comm_join has no old one.
void CreatedBetween(MPI_Comm old, MPI_Comm handle) {
  Comm* comm = known && !IsNone(handle) ? Describe(handle) : nullptr;
  if (comm == nullptr) return;
  const int32_t* theirs = WorldRanks(comm, handle);
  const bool is_within =
      theirs != nullptr && std::none_of(theirs, theirs + comm->peers, [](int32_t r) { return r < 0; });
  if (!is_within) {
    Release(comm);
    return IsNone(old) ? Met(handle) : Created(old, handle);
  }
  const uint64_t what = Mix(5, MembersOf(comm, handle));
  comm->id = Mix(what, TimesMade(what));
  Enter(handle, comm);
}

// MPI_Comm_idup: the handle may not be used before its request completes, so everything comes from the old
// communicator.
void CreatedCopy(MPI_Comm old, MPI_Comm handle) {
  Comm* from = known ? Find(old) : nullptr;
  if (from == nullptr) return;
  const uint64_t id = NextIdentity(from);
  Comm* comm = IsNone(handle) ? nullptr : new (std::nothrow) Comm;
  if (comm == nullptr) return;
  comm->id = Mix(id, FirstOf(from, old));
  comm->is_inter = from->is_inter;
  comm->is_met = from->is_met;
  comm->rank = from->rank;
  comm->locals = from->locals;
  comm->peers = from->peers;
  Enter(handle, comm);
}

void CreatedByMembers(MPI_Comm handle, int tag) { CreatedByMembers(NoComm(), handle, tag); }

void CreatedByMembers(MPI_Comm old, MPI_Comm handle, int tag) {
  Comm* comm = known && !IsNone(handle) ? Describe(handle) : nullptr;
  if (comm == nullptr) return;
  Comm* from = Find(old);
  const uint64_t what = Mix(Mix(3, static_cast<uint64_t>(tag)), MembersOf(comm, handle));
  const bool has_old = from != nullptr && !from->is_met;
  comm->id = has_old ? Mix(Mix(from->id, what), TimesMade(what, &from->made)) : Mix(what, TimesMade(what));
  Enter(handle, comm);
}

// The other job does not know our ranks, so this communicator has an identity in this process alone.
void Met(MPI_Comm handle) {
  if (!known || IsNone(handle) || FindKnown(handle) != nullptr) return;
  const auto rank = static_cast<uint64_t>(world == nullptr ? 0 : world->rank);
  Comm* comm = Add(handle, Mix(Mix(4, rank), TimesMade(4)));
  if (comm != nullptr) comm->is_met = true;
}

void Named(MPI_Comm handle) {
  const Comm* comm = FindKnown(handle);
  const uint32_t number = comm == nullptr ? 0 : __atomic_load_n(&comm->number, __ATOMIC_ACQUIRE);
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  // A communicator without a number gets its name with the number (Define).
  if (comm != world && number <= 1) return;
  if (comm == nullptr || pmpi.Comm_get_name(handle, name, &length) != MPI_SUCCESS) return;
  epik_adapter_name(kEpikCommunicator, number, name);
}

void Forget(MPI_Comm handle) {
  const uint64_t key = KeyOf(handle);
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return;
  Comm* comm = nullptr;
  {
    const Locked lock(shard.lock);
    Entry* entry = shard.table.Find(key);
    if (entry == nullptr || entry->comm == world) return;
    comm = entry->comm;
    Remember(key, nullptr);
    shard.table.Remove(entry);
  }
  Release(comm);
}

}  // namespace epik::mpi
