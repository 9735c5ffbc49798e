// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/named_keys.h"

#include <cstdio>
#include <vector>

#include "runtime/base/signals_blocked.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/location.h"
#include "runtime/episode/modules.h"

namespace epik::choice {

using event::Key;

namespace {

struct Followed {
  base::SpinLock lock;
  std::vector<NamedKeys*>* names = nullptr;
  uint32_t modules_seen = 0;  // ModuleCount() at the last look
};
constinit Followed followed;

}  // namespace

NamedKeys* NamedKeys::Follow(const char* setting, const std::string& glob) {
  const base::Locked lock(followed.lock);
  if (followed.names == nullptr) followed.names = new std::vector<NamedKeys*>;
  for (NamedKeys* names : *followed.names) {  // another window's names, or a forked child's parent's
    if (names->glob_ == glob) return names;
  }
  auto* names = new NamedKeys(glob, Selector::OfPattern(setting, glob));
  followed.names->push_back(names);
  names->LookAtNewModules();
  episode::ForEachRegion(
      [](const episode::DefinedRegion& region, void* of) { static_cast<NamedKeys*>(of)->NoteRegion(region); }, names);
  return names;
}

void NamedKeys::LookAtNewModules() {
  if (selector_ == nullptr) return;
  selector_->LookAtNewModules([](Key key, void* of) { static_cast<NamedKeys*>(of)->keys_.Add(key); }, this);
}

void NamedKeys::NoteRegion(const episode::DefinedRegion& region) {
  if (selector_ != nullptr && selector_->Selects(region)) keys_.Add(event::RegionKey(region.number));
}

void NamedKeys::ForgetCode(uint64_t begin, uint64_t end, uint64_t bias) {
  keys_.RemoveCode(begin, end);
  if (selector_ != nullptr) selector_->ForgetModule(bias);
}

void RegionWindow::NoteUnopened(const char* setting) const {
  if (!region->empty()) return;
  char text[512];
  std::snprintf(text, sizeof text, "%s: no function or region is called %s: its window never opened", setting,
                region->glob().c_str());
  episode::Note(text);
}

void FollowNewModules() {
  if (followed.names == nullptr || __atomic_load_n(&followed.modules_seen, __ATOMIC_RELAXED) == episode::ModuleCount())
    return;
  const episode::Inside guard;
  const base::Locked lock(followed.lock);
  __atomic_store_n(&followed.modules_seen, episode::ModuleCount(), __ATOMIC_RELAXED);
  for (NamedKeys* names : *followed.names) names->LookAtNewModules();
}

void FollowModuleOf(Key key) {
  if (!episode::IsKnownCode(key)) {
    const episode::Inside guard;
    episode::ScanModules();
  }
  FollowNewModules();
}

void NoteNamedRegion(const episode::DefinedRegion& region) {
  if (followed.names == nullptr) return;
  const base::SignalsBlocked blocked;  // a handler that jumped away would take the lock with it
  const base::Locked lock(followed.lock);
  for (NamedKeys* names : *followed.names) names->NoteRegion(region);
}

void ForgetNamed(uint64_t begin, uint64_t end, uint64_t bias) {
  const base::Locked lock(followed.lock);
  if (followed.names == nullptr) return;
  for (NamedKeys* names : *followed.names) names->ForgetCode(begin, end, bias);
}

namespace {

void Forget() {
  followed.lock.Reset();
  if (followed.names == nullptr) return;
  for (NamedKeys* names : *followed.names) names->ForgetLock();
}

}  // namespace

const episode::Part named_keys_part = {.name = "named keys", .forget = Forget};

}  // namespace epik::choice
