// SPDX-License-Identifier: BSD-3-Clause
// A map from keys to numbers, which is searched for every message: open addressing in one array.
#ifndef EPIK_ANALYSIS_REPLAY_FLAT_MAP_H_
#define EPIK_ANALYSIS_REPLAY_FLAT_MAP_H_

#include <cstdint>
#include <vector>

namespace epik::replay {

inline uint64_t Mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0x9e3779b97f4a7c15ull;
  return value ^ value >> 29;
}

// Key needs == and HashOf(key).
inline uint64_t HashOf(uint64_t key) { return Mix(key); }

template <typename Key>
class FlatMap {
 public:
  static constexpr uint32_t kMissing = 0xffffffff;

  uint32_t Find(const Key& key) const {
    if (cells_.empty()) return kMissing;
    for (size_t i = HashOf(key) & mask_;; i = (i + 1) & mask_) {
      if (cells_[i].value == kMissing) return kMissing;
      if (cells_[i].key == key) return cells_[i].value;
    }
  }
  // Returns the value of the key, which is `value` if the key is new.
  uint32_t* FindOrAdd(const Key& key, uint32_t value) {
    if (2 * (size_ + 1) > cells_.size()) Grow();
    size_t i = HashOf(key) & mask_;
    for (; cells_[i].value != kMissing; i = (i + 1) & mask_) {
      if (cells_[i].key == key) return &cells_[i].value;
    }
    cells_[i] = {key, value};
    ++size_;
    return &cells_[i].value;
  }
  void Erase(const Key& key) {
    if (cells_.empty()) return;
    size_t i = HashOf(key) & mask_;
    for (; !(cells_[i].key == key) || cells_[i].value == kMissing; i = (i + 1) & mask_) {
      if (cells_[i].value == kMissing) return;
    }
    --size_;
    // Later entries move up, so that no search ends too early.
    size_t hole = i;
    for (size_t next = (hole + 1) & mask_; cells_[next].value != kMissing; next = (next + 1) & mask_) {
      const size_t home = HashOf(cells_[next].key) & mask_;
      if (((next - home) & mask_) < ((next - hole) & mask_)) continue;
      cells_[hole] = cells_[next];
      hole = next;
    }
    cells_[hole].value = kMissing;
  }
  size_t size() const { return size_; }
  template <typename Use>
  void ForEach(const Use& use) const {
    for (const Cell& cell : cells_) {
      if (cell.value != kMissing) use(cell.key, cell.value);
    }
  }

 private:
  struct Cell {
    Key key{};
    uint32_t value = kMissing;
  };

  void Grow() {
    std::vector<Cell> old(cells_.empty() ? 64 : 2 * cells_.size());
    old.swap(cells_);
    mask_ = cells_.size() - 1;
    for (const Cell& cell : old) {
      if (cell.value == kMissing) continue;
      size_t i = HashOf(cell.key) & mask_;
      while (cells_[i].value != kMissing) i = (i + 1) & mask_;
      cells_[i] = cell;
    }
  }

  std::vector<Cell> cells_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_FLAT_MAP_H_
