// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/key_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace epik::choice {
namespace {

using event::Key;

struct Owned {
  const KeyTable* table = &no_keys;
  KeySet keys{&table};
};

TEST(KeySet, IsEmptyInTheBeginning) {
  Owned set;
  EXPECT_FALSE(set.keys.Has(0x401000));
  set.keys.Remove(0x401000);
  set.keys.RemoveCode(0, ~uint64_t{0});
  EXPECT_FALSE(HasKey(set.table, 0x401000));
}

TEST(KeySet, DoesAsASetDoes) {
  Owned set;
  std::set<Key> truth;
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const Key key = 0x400000 + 16 * (random() % 20'000);
    if (random() % 3 != 0) {
      set.keys.Add(key);
      truth.insert(key);
    } else {
      set.keys.Remove(key);
      truth.erase(key);
    }
  }
  for (Key key = 0x400000; key < 0x400000 + 16 * 20'000; key += 16) ASSERT_EQ(set.keys.Has(key), truth.contains(key));
}

// A program may switch a group a million times: slots of keys that are gone are used again.
TEST(KeySet, SwitchingDoesNotMakeItGrow) {
  Owned set;
  for (Key key = 1; key <= 500; ++key) set.keys.Add(key * 16);
  const uint64_t mask = set.table->mask;
  for (int i = 0; i < 20'000; ++i) {
    const Key key = 16 * (static_cast<Key>(i) % 500 + 1);
    set.keys.Remove(key);
    EXPECT_FALSE(set.keys.Has(key));
    set.keys.Add(key);
  }
  EXPECT_EQ(set.table->mask, mask);
  for (Key key = 1; key <= 500; ++key) EXPECT_TRUE(set.keys.Has(key * 16));
}

TEST(KeySet, ReadersOfTheOldTableFindWhatTheyFoundBefore) {
  Owned set;
  set.keys.Add(0x1000);
  const KeyTable* old = set.table;
  for (Key key = 1; key <= 5'000; ++key) set.keys.Add(0x10000 + key * 16);
  EXPECT_NE(set.table, old);
  EXPECT_TRUE(HasKey(old, 0x1000));
  EXPECT_TRUE(set.keys.Has(0x1000));
}

TEST(KeySet, CodeThatIsGoneTakesItsKeysAlong) {
  Owned set;
  const Key construct = Key{1} << event::kConstructShift | 0x5010;
  for (const Key key : {Key{0x4ff0}, Key{0x5000}, Key{0x5ff0}, Key{0x6000}, event::RegionKey(0x5008), construct})
    set.keys.Add(key);
  set.keys.RemoveCode(0x5000, 0x6000);
  EXPECT_TRUE(set.keys.Has(0x4ff0));
  EXPECT_FALSE(set.keys.Has(0x5000));
  EXPECT_FALSE(set.keys.Has(0x5ff0));
  EXPECT_FALSE(set.keys.Has(construct));
  EXPECT_TRUE(set.keys.Has(0x6000));
  EXPECT_TRUE(set.keys.Has(event::RegionKey(0x5008)));
}

}  // namespace
}  // namespace epik::choice
