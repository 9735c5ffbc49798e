// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/named_keys.h"

#include <fnmatch.h>

#include <vector>

#include "runtime/abi/named_functions.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/location.h"
#include "runtime/episode/modules.h"

namespace epik::episode {

using event::Key;

namespace {

base::SpinLock names_lock;
std::vector<NamedKeys*>* followed = nullptr;
uint32_t modules_seen = 0;
NamedKeys* looking = nullptr;

void FoundFunction(uint64_t address) { looking->Add(address); }

// REQUIRES: names_lock.
void Look(NamedKeys* names) {
  const char* error = nullptr;
  auto* find = reinterpret_cast<EpikFunctionsNamed>(FindInArchiveLibrary("epik_functions_named", &error));
  if (find == nullptr) return;
  looking = names;
  ForEachMappedModule(
      [](const char* path, uint64_t bias, void* named) {
        reinterpret_cast<EpikFunctionsNamed>(named)(looking->glob().c_str(), path, bias, FoundFunction);
      },
      reinterpret_cast<void*>(find));
}

}  // namespace

NamedKeys* NamedKeys::Follow(const std::string& glob) {
  const base::Locked lock(names_lock);
  if (followed == nullptr) followed = new std::vector<NamedKeys*>;
  modules_seen = ModuleCount();
  auto* names = new NamedKeys(glob);
  followed->push_back(names);
  Look(names);
  return names;
}

void NamedKeys::Add(Key key) {
  if (Has(key) || count_ == kMostKeys) return;
  keys_[count_] = key;
  __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
}

void FollowNewModules() {
  if (followed == nullptr || __atomic_load_n(&modules_seen, __ATOMIC_RELAXED) == ModuleCount()) return;
  const Inside guard;
  const base::Locked lock(names_lock);
  __atomic_store_n(&modules_seen, ModuleCount(), __ATOMIC_RELAXED);
  for (NamedKeys* names : *followed) Look(names);
}

void FollowModuleOf(Key key) {
  if (!IsKnownCode(key)) {
    const Inside guard;
    ScanModules();
  }
  FollowNewModules();
}

void NoteNamedRegion(const char* name, Key key) {
  if (followed == nullptr) return;
  const base::Locked lock(names_lock);
  for (NamedKeys* names : *followed) {
    if (fnmatch(names->glob().c_str(), name, 0) == 0) names->Add(key);
  }
}

const Part named_keys_part = {.name = "named keys", .forget = [] { names_lock.Reset(); }};

}  // namespace epik::episode
