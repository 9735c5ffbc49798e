// SPDX-License-Identifier: BSD-3-Clause
// The owner of a set of keys: one thread at a time changes it while hooks read its table (key_set_hot.h).
#ifndef EPIK_RUNTIME_CHOICE_KEY_SET_H_
#define EPIK_RUNTIME_CHOICE_KEY_SET_H_

#include <cstdint>

#include "runtime/base/spinlock.h"
#include "runtime/choice/key_set_hot.h"

namespace epik::choice {

extern const KeyTable no_keys;

class KeySet {
 public:
  // Readers find the table at `place`, which holds &no_keys in the beginning. Tables are never freed: a reader of the
  // old one finds there what it found before.
  explicit constexpr KeySet(const KeyTable** place) : place_(place) {}
  KeySet(const KeySet&) = delete;
  KeySet& operator=(const KeySet&) = delete;

  const KeyTable* table() const { return __atomic_load_n(place_, __ATOMIC_ACQUIRE); }
  bool Has(event::Key key) const { return HasKey(table(), key); }

  // Without memory for it, the key stays out.
  void Add(event::Key key);
  void Remove(event::Key key);
  // Keys of code between these addresses.
  void RemoveCode(uint64_t begin, uint64_t end);

  void Forget() { lock_.Reset(); }  // in a forked child: keys stay

 private:
  KeyTable* Grow();

  base::SpinLock lock_;
  const KeyTable** place_;
  uint64_t used_ = 0;  // slots that are not empty
};

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_KEY_SET_H_
