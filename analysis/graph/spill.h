// SPDX-License-Identifier: BSD-3-Clause
// Arrays that only grow. They are in memory up to a bound that all arrays of a Store share. The rest lies in a
// temporary file without a name, which the kernel writes out and reads back as it likes.
#ifndef EPIK_ANALYSIS_GRAPH_SPILL_H_
#define EPIK_ANALYSIS_GRAPH_SPILL_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace epik::graph {

class Store {
 public:
  static constexpr size_t kChunkBytes = 4 << 20;  // at most

  explicit Store(size_t bytes_in_memory) : left_in_memory_(bytes_in_memory) {}
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Returns zeroes, which stay as long as the store. REQUIRES: `bytes` are whole pages.
  void* Take(size_t bytes);
  // The number of bytes in the file.
  uint64_t spilled() const { return file_bytes_; }

 private:
  bool OpenFile();

  size_t left_in_memory_;
  int file_ = -1;
  bool file_failed_ = false;
  uint64_t file_bytes_ = 0;
  std::vector<std::span<std::byte>> chunks_;
};

// T is trivially copyable, and all zeroes are a T.
template <typename T>
class Spill {
 public:
  // A power of two, because each access asks for the chunk of a number.
  static constexpr uint64_t kInChunk = std::bit_floor(Store::kChunkBytes / sizeof(T));

  explicit Spill(Store* store) : store_(store) {}

  uint64_t size() const { return size_; }
  T& operator[](uint64_t i) { return chunks_[i / kInChunk][i % kInChunk]; }
  const T& operator[](uint64_t i) const { return chunks_[i / kInChunk][i % kInChunk]; }

  uint64_t Append(const T& value) {
    Grow(size_ + 1);
    (*this)[size_] = value;
    return size_++;
  }
  // Appends all values side by side, and returns the number of the first. REQUIRES: 0 < count <= kInChunk
  uint64_t AppendRun(std::span<const T> values) {
    const uint64_t room = kInChunk - size_ % kInChunk;
    if (room < values.size()) size_ += room;
    const uint64_t first = size_;
    Resize(size_ + values.size());
    std::copy(values.begin(), values.end(), &(*this)[first]);
    return first;
  }
  // Appends `count` zeroes, as places of elements that come later.
  void Resize(uint64_t count) {
    Grow(count);
    size_ = count;
  }
  std::span<const T> Run(uint64_t first, uint64_t count) const {
    return count == 0 ? std::span<const T>() : std::span<const T>(&(*this)[first], count);
  }

 private:
  void Grow(uint64_t to) {
    while (chunks_.size() * kInChunk < to) chunks_.push_back(static_cast<T*>(store_->Take(kInChunk * sizeof(T))));
  }

  Store* store_;
  std::vector<T*> chunks_;
  uint64_t size_ = 0;
};

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_SPILL_H_
