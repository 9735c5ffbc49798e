// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/requests.h"

#include <sys/mman.h>

#include <cerrno>

#include "adapters/mpi/hash_table.h"
#include "runtime/base/leak_check.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {
namespace {

// The rest of a request. The memory is used again when the request is over.
struct Facts {
  Request request;
  Facts* next = nullptr;  // of those that no request uses
};

// The table moves its entries, so they are small. A receive that is only counted has no facts.
struct Entry {
  uint64_t key = 0;
  uint64_t serial = 0;
  Facts* facts = nullptr;

  bool IsActive() const { return facts == nullptr || facts->request.active; }
  bool IsPersistent() const { return facts != nullptr && mpi::IsPersistent(facts->request.kind); }
};

// Gives and takes back facts.
class Store {
 public:
  // Returns null if there is no memory.
  Facts* Take() {
    if (EPIK_UNLIKELY(unused_ == nullptr) && !Grow()) return nullptr;
    Facts* taken = unused_;
    unused_ = taken->next;
    return taken;
  }
  void Give(Facts* facts) {
    if (facts == nullptr) return;
    facts->next = unused_;
    unused_ = facts;
  }

 private:
  EPIK_COLD bool Grow() {
    const int saved_errno = errno;
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    if (memory == MAP_FAILED) return false;
    base::HoldsPointers(memory, bytes_);
    auto* facts = static_cast<Facts*>(memory);
    for (uint64_t i = 0; i < bytes_ / sizeof(Facts); ++i) Give(facts + i);
    if (bytes_ < kMostBytes) bytes_ *= 2;
    return true;
  }

  // Blocks grow: most programs have few open requests, and there may be many stores.
  static constexpr uint64_t kFirstBytes = 4u << 10, kMostBytes = 64u << 10;
  uint64_t bytes_ = kFirstBytes;
  Facts* unused_ = nullptr;
};

struct alignas(64) Shard {
  base::SpinLock lock;
  uint64_t serial = 0;
  HashTable<Entry> table;
  Store store;
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

// The only thread that has called MPI so far, where the program promised that no two threads call it at once. It needs
// no lock. Null as soon as a second thread comes, and where nothing is promised.
const uint64_t* only_thread = nullptr;

bool IsOnlyThread() { return __atomic_load_n(&only_thread, __ATOMIC_RELAXED) == &last_number; }

bool MayMeetOthers() {
  if (EPIK_LIKELY(IsOnlyThread())) return false;
  // Written once: all threads read it.
  if (UsesOneTable()) __atomic_store_n(&only_thread, nullptr, __ATOMIC_RELAXED);
  return true;
}

// Has a shard for itself.
class Holding {
 public:
  explicit Holding(Shard& shard) : lock_(MayMeetOthers() ? &shard.lock : nullptr) {
    if (EPIK_UNLIKELY(lock_ != nullptr)) lock_->Lock();
  }
  ~Holding() {
    if (EPIK_UNLIKELY(lock_ != nullptr)) lock_->Unlock();
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  base::SpinLock* lock_;
};

// Calls `use` with the shard of this key, and with the key. The only thread, whose table is the first one, saves no
// register for a lock.
template <class Use>
__attribute__((noinline)) auto UseLocked(uint64_t key, Use use) {
  Shard& shard = ShardOf(key);
  const Holding holding(shard);
  return use(shard, key);
}
template <class Use>
EPIK_HOT auto UseShard(uint64_t key, Use use) {
  return EPIK_LIKELY(IsOnlyThread()) ? use(shards[0], key) : UseLocked(key, use);
}

// Writes only the handle and the serial number of a receive that is only counted.
Found ReadFound(const Entry& entry, Request* request) {
  if (entry.facts == nullptr) {
    request->key = entry.key;
    request->serial = entry.serial;
    return Found::kCounted;
  }
  *request = entry.facts->request;
  return Found::kWhole;
}

// Writes the rest of a receive that is only counted.
void Fill(Found found, Request* request) {
  if (found == Found::kCounted) *request = {.key = request->key, .serial = request->serial};
}

void Read(const Entry& entry, Request* request) { Fill(ReadFound(entry, request), request); }

// The facts of an entry, which it may have to get first; null: no memory.
Request* FactsOf(Shard& shard, Entry* entry) {
  if (entry->facts == nullptr) {
    entry->facts = shard.store.Take();
    if (entry->facts == nullptr) return nullptr;
    entry->facts->request = {.key = entry->key, .serial = entry->serial};
  }
  return &entry->facts->request;
}

void Remove(Shard& shard, Entry* entry) {
  shard.store.Give(entry->facts);
  shard.table.Remove(entry);
}

void Set(Shard& shard, Entry* entry, const Request& request) {
  if (entry->facts == nullptr) entry->facts = shard.store.Take();
  if (EPIK_UNLIKELY(entry->facts == nullptr)) return Remove(shard, entry);
  entry->facts->request = request;
  entry->facts->request.serial = entry->serial;
}

// Calls `change` with the facts of the request, if it is known. Returns whether it was.
template <class Function>
bool Change(uint64_t key, Function change) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Holding holding(shard);
  Entry* entry = shard.table.Find(key);
  Request* facts = entry == nullptr ? nullptr : FactsOf(shard, entry);
  if (facts == nullptr) return false;
  change(facts);
  return true;
}

// The same; a request that is not known becomes one of this kind.
template <class Function>
void ChangeOrMake(uint64_t key, Kind kind, Function change) {
  if (key == 0) return;
  Shard& shard = ShardOf(key);
  const Holding holding(shard);
  Entry* entry = shard.table.Add(key);
  if (entry == nullptr) return;
  const bool is_new = entry->serial == 0;
  if (is_new) entry->serial = ++shard.serial;
  Request* facts = FactsOf(shard, entry);
  if (facts == nullptr) return is_new ? Remove(shard, entry) : void();
  if (is_new) facts->kind = kind;
  change(facts);
}

}  // namespace

void UseOneTable() {
  for (const Shard& shard : shards) {
    if (!shard.table.IsEmpty()) return;  // requests of an MPI session
  }
  __atomic_store_n(&shard_mask, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&only_thread, &last_number, __ATOMIC_RELAXED);
}

bool UsesOneTable() { return __atomic_load_n(&only_thread, __ATOMIC_RELAXED) != nullptr; }

void RememberReceive(uint64_t key) {
  if (key == 0) return;
  UseShard(key, [](Shard& shard, uint64_t key) {
    Entry* entry = shard.table.Add(key);
    if (EPIK_UNLIKELY(entry == nullptr)) return;
    shard.store.Give(entry->facts);
    entry->facts = nullptr;
    entry->serial = ++shard.serial;
  });
}

bool Remember(const Request& request, Request* before) {
  if (request.key == 0) return false;
  return UseShard(request.key, [&request, before](Shard& shard, uint64_t key) {
    Entry* entry = shard.table.Add(key);
    if (entry == nullptr) return false;
    // MPI reuses handles: the entry may belong to an earlier request of the same handle.
    const bool was_active = entry->serial != 0 && entry->IsActive();
    if (was_active && before != nullptr) Read(*entry, before);
    entry->serial = ++shard.serial;
    Set(shard, entry, request);
    return was_active;
  });
}

void RememberUnknown(const Request& request) {
  Shard& shard = ShardOf(request.key);
  const Holding holding(shard);
  Entry* entry = shard.table.Add(request.key);
  if (entry == nullptr || entry->serial != 0) return;
  entry->serial = ++shard.serial;
  Set(shard, entry, request);
}

Found LookUp(uint64_t key, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return Found::kNone;
  const Holding holding(shard);
  const Entry* entry = shard.table.Find(key);
  return entry != nullptr && entry->IsActive() ? ReadFound(*entry, request) : Found::kNone;
}

bool FindActive(uint64_t key, Request* request) {
  const Found found = LookUp(key, request);
  Fill(found, request);
  return found != Found::kNone;
}

Found TakeActive(uint64_t key, Request* request) {
  if (key == 0) return Found::kNone;
  const auto take = [request](Shard& shard, uint64_t key) {
    Entry* entry = shard.table.Find(key);
    if (entry == nullptr || !entry->IsActive()) return Found::kNone;
    const Found found = ReadFound(*entry, request);
    if (!entry->IsPersistent()) Remove(shard, entry);
    return found;
  };
  if (EPIK_LIKELY(IsOnlyThread())) return take(shards[0], key);
  return ShardOf(key).table.IsEmpty() ? Found::kNone : UseLocked(key, take);
}

void PutBack(const Request& request, Found found) {
  Shard& shard = ShardOf(request.key);
  const Holding holding(shard);
  Entry* entry = shard.table.Add(request.key);
  if (entry == nullptr || entry->serial != 0) return;
  entry->serial = request.serial;
  if (found == Found::kWhole) Set(shard, entry, request);
}

bool SetNumber(uint64_t key, uint64_t number, Request* request) {
  return Change(key, [=](Request* facts) {
    facts->number = number;
    *request = *facts;
  });
}

bool TakeNumber(uint64_t key, Request* request) {
  return Change(key, [=](Request* facts) {
    *request = *facts;
    facts->number = 0;
  });
}

void SetPlace(uint64_t key, uint64_t place) {
  Change(key, [place](Request* facts) { facts->place = place; });
}

bool SetSources(uint64_t key, event::RankRun* sources, uint32_t count) {
  return Change(key, [=](Request* facts) {
    facts->sources = sources;
    facts->sources_count = count;
  });
}

void Follow(uint64_t key, const Followed& followed, Kind kind) {
  ChangeOrMake(key, kind, [&](Request* facts) { facts->followed = followed; });
}

void FollowSend(uint64_t key, const Followed& followed, int32_t peer, uint64_t bytes) {
  ChangeOrMake(key, Kind::kSend, [&](Request* facts) {
    facts->kind = Kind::kSend;
    facts->followed = followed;
    facts->peer = peer;
    facts->out = bytes;
  });
}

bool Activate(uint64_t key, bool logged, Request* request) {
  return Change(key, [=](Request* facts) {
    facts->active = true;
    facts->ready = 0;
    if (!logged) facts->number = 0;
    const bool receives = facts->kind == Kind::kReceives || facts->kind == Kind::kParts;
    facts->unlogged = receives && !logged;
    if (IsPersistentOperation(facts->kind)) ++facts->followed.turn.sequence;
    *request = *facts;
  });
}

bool AddReady(uint64_t key, uint32_t parts, Request* request) {
  bool is_last = false;
  Change(key, [&](Request* facts) {
    facts->ready += parts;
    is_last = facts->mode == event::SendMode::kPartitioned && facts->ready == facts->in;
    if (is_last) *request = *facts;
  });
  return is_last;
}

bool Complete(const Request& request) {
  Shard& shard = ShardOf(request.key);
  const Holding holding(shard);
  Entry* entry = shard.table.Find(request.key);
  // The serial number tells whether a new request of the same handle has taken the entry meanwhile.
  if (entry == nullptr || entry->serial != request.serial) return false;
  if (entry->IsPersistent()) {
    entry->facts->request.active = false;
  } else {
    Remove(shard, entry);
  }
  return true;
}

bool Forget(uint64_t key, Request* request) {
  Shard& shard = ShardOf(key);
  if (key == 0 || shard.table.IsEmpty()) return false;
  const Holding holding(shard);
  Entry* entry = shard.table.Find(key);
  if (entry == nullptr) return false;
  Read(*entry, request);
  Remove(shard, entry);
  return true;
}

bool NextLogged(uint64_t number, Request* request) {
  uint64_t next = 0;
  for (Shard& shard : shards) {
    const Holding holding(shard);
    shard.table.ForEach([&](const Entry& entry) {
      if (entry.facts == nullptr || !entry.IsActive()) return;
      const Request& facts = entry.facts->request;
      if (facts.number <= number || (next != 0 && facts.number >= next)) return;
      next = facts.number;
      *request = facts;
    });
  }
  return next != 0;
}

uint64_t NewRequest() {
  if (last_number % kBlock == 0) last_number = __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED) * kBlock;
  return ++last_number;
}

}  // namespace epik::mpi
