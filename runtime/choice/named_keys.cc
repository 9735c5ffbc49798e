// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/named_keys.h"

#include <vector>

#include "config/words.h"
#include "runtime/abi/named_functions.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/location.h"
#include "runtime/episode/modules.h"

namespace epik::episode {

using event::Key;

namespace {

struct Names {
  base::SpinLock lock;
  std::vector<NamedKeys*>* followed = nullptr;
  uint32_t modules_seen = 0;
  NamedKeys* looking = nullptr;
};
constinit Names all;

void FoundFunction(uint64_t address) { all.looking->Add(address); }

// REQUIRES: lock.
void Look(NamedKeys* names) {
  const char* error = nullptr;
  auto* find = reinterpret_cast<EpikFunctionsNamed>(FindInArchiveLibrary("epik_functions_named", &error));
  if (find == nullptr) return;
  all.looking = names;
  ForEachMappedModule(
      [](const char* path, uint64_t bias, void* named) {
        reinterpret_cast<EpikFunctionsNamed>(named)(all.looking->glob().c_str(), path, bias, FoundFunction);
      },
      reinterpret_cast<void*>(find));
}

}  // namespace

NamedKeys* NamedKeys::Follow(const std::string& glob) {
  const base::Locked lock(all.lock);
  if (all.followed == nullptr) all.followed = new std::vector<NamedKeys*>;
  all.modules_seen = ModuleCount();
  auto* names = new NamedKeys(glob);
  all.followed->push_back(names);
  Look(names);
  return names;
}

void NamedKeys::Add(Key key) {
  if (Has(key) || count_ == kMostKeys) return;
  keys_[count_] = key;
  __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
}

void FollowNewModules() {
  if (all.followed == nullptr || __atomic_load_n(&all.modules_seen, __ATOMIC_RELAXED) == ModuleCount()) return;
  const Inside guard;
  const base::Locked lock(all.lock);
  __atomic_store_n(&all.modules_seen, ModuleCount(), __ATOMIC_RELAXED);
  for (NamedKeys* names : *all.followed) Look(names);
}

void FollowModuleOf(Key key) {
  if (!IsKnownCode(key)) {
    const Inside guard;
    ScanModules();
  }
  FollowNewModules();
}

void NoteNamedRegion(const char* name, Key key) {
  if (all.followed == nullptr) return;
  const base::Locked lock(all.lock);
  for (NamedKeys* names : *all.followed) {
    if (config::GlobMatches(names->glob(), name)) names->Add(key);
  }
}

const Part named_keys_part = {.name = "named keys", .forget = [] { all.lock.Reset(); }};

}  // namespace epik::episode
