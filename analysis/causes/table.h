// SPDX-License-Identifier: BSD-3-Clause
// Keeps sums by key, which each wait adds to. They lie side by side, and an array of their numbers finds them. At the
// end they become a map, in the order in which readers go through them.
#ifndef EPIK_ANALYSIS_CAUSES_TABLE_H_
#define EPIK_ANALYSIS_CAUSES_TABLE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/replay/flat_map.h"

namespace epik::causes {

// Key needs == and HashOf(key).
template <typename Key, typename Value>
class Table {
 public:
  // Returns the number of the key's sums, which never changes.
  uint32_t NumberOf(const Key& key) {
    const auto next = static_cast<uint32_t>(entries_.size());
    const uint32_t number = *number_of_.FindOrAdd(key, next);
    if (number == next) entries_.emplace_back(key, Value());
    return number;
  }
  Value& operator[](const Key& key) { return entries_[NumberOf(key)].second; }
  Value& At(uint32_t number) { return entries_[number].second; }
  const std::vector<std::pair<Key, Value>>& all() const { return entries_; }
  std::map<Key, Value> Map() const { return {entries_.begin(), entries_.end()}; }

 private:
  replay::FlatMap<Key> number_of_;
  std::vector<std::pair<Key, Value>> entries_;
};

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_TABLE_H_
