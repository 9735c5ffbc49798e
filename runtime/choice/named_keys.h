// SPDX-License-Identifier: BSD-3-Clause
// The functions and regions that match a name in a setting: those that exist, and those that come later.
#ifndef EPIK_RUNTIME_CHOICE_NAMED_KEYS_H_
#define EPIK_RUNTIME_CHOICE_NAMED_KEYS_H_

#include <string>

#include "config/trace_selection.h"
#include "runtime/choice/key_set.h"
#include "runtime/choice/selector.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Never destroyed: hooks come until the very end.
class NamedKeys {
 public:
  // Follows all functions and regions that match the glob, with their parameters or without. REQUIRES: inside.
  static NamedKeys* Follow(const char* setting, const std::string& glob);

  bool Has(event::Key key) const { return keys_.Has(key); }
  bool empty() const { return keys_.table() == &no_keys; }
  const std::string& glob() const { return glob_; }

  void LookAtNewModules();
  void NoteRegion(const episode::DefinedRegion& region);
  void ForgetCode(uint64_t begin, uint64_t end, uint64_t bias);
  void ForgetLock() { keys_.Forget(); }  // in a forked child

 private:
  NamedKeys(const std::string& glob, Selector* selector) : glob_(glob), selector_(selector) {}

  std::string glob_;
  Selector* selector_;  // null: names cannot be asked for
  const KeyTable* table_ = &no_keys;
  KeySet keys_{&table_};
};

// A window of visits of a region, as EPK_MEASURE and EPK_TRACE write it: "window:f:10-20".
struct RegionWindow {
  const NamedKeys* region = nullptr;
  uint64_t first = 0, last = 0;

  RegionWindow() = default;
  RegionWindow(const char* setting, const config::TraceSelection::Window& chosen)
      : region(NamedKeys::Follow(setting, chosen.region)), first(chosen.first), last(chosen.last) {}
  bool Holds(uint64_t visit) const { return visit >= first && visit <= last; }
  // Says into the archive when no function or region has the name. REQUIRES: inside.
  void NoteUnopened(const char* setting) const;
};

// Searches the libraries that were loaded since, also the one of the key.
void FollowNewModules();
void FollowModuleOf(event::Key key);

// A region has just been defined.
void NoteNamedRegion(const episode::DefinedRegion& region);
// The module whose code was between these addresses is gone.
void ForgetNamed(uint64_t begin, uint64_t end, uint64_t bias);

extern const episode::Part named_keys_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_NAMED_KEYS_H_
