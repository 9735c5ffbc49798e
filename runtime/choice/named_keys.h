// SPDX-License-Identifier: BSD-3-Clause
// The functions and regions that a name in a setting means: as they are found, and as they come later.
#ifndef EPIK_RUNTIME_CHOICE_NAMED_KEYS_H_
#define EPIK_RUNTIME_CHOICE_NAMED_KEYS_H_

#include <string>

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

class NamedKeys {
 public:
  // All that match the glob, with their parameters or without. Never destroyed: hooks come until the very end.
  // REQUIRES: inside.
  static NamedKeys* Follow(const std::string& glob);

  bool Has(event::Key key) const {
    const uint32_t keys = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < keys; ++i) {
      if (keys_[i] == key) return true;
    }
    return false;
  }
  bool empty() const { return __atomic_load_n(&count_, __ATOMIC_RELAXED) == 0; }
  const std::string& glob() const { return glob_; }
  void Add(event::Key key);

 private:
  explicit NamedKeys(const std::string& glob) : glob_(glob) {}
  static constexpr uint32_t kMostKeys = 256;

  std::string glob_;
  uint32_t count_ = 0;  // grows
  event::Key keys_[kMostKeys] = {};
};

// Looks at libraries that have come since, that of the key, too.
void FollowNewModules();
void FollowModuleOf(event::Key key);

// A region with a name is defined.
void NoteNamedRegion(const char* name, event::Key key);

extern const Part named_keys_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_CHOICE_NAMED_KEYS_H_
