// SPDX-License-Identifier: BSD-3-Clause
// An array that grows. If the program has no memory left, there is no slot, and nothing else happens.
#ifndef EPIK_RUNTIME_MONITOR_TABLE_H_
#define EPIK_RUNTIME_MONITOR_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace epik::monitor {

// REQUIRES: inside, when it grows or is destroyed. An element that was never set is all zeros.
template <class T>
class Table {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  constexpr Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  uint32_t size() const { return size_; }
  T& operator[](uint32_t index) { return at_[index]; }
  const T& operator[](uint32_t index) const { return at_[index]; }
  T* begin() { return at_; }
  T* end() { return at_ + size_; }
  const T* begin() const { return at_; }
  const T* end() const { return at_ + size_; }

  // Makes the slot and all slots before it. Null: no memory.
  T* Slot(uint32_t index) {
    if (index >= size_ && !Grow(uint64_t{index} + 1)) return nullptr;
    return &at_[index];
  }
  T* Add() { return Slot(size_); }
  // REQUIRES: `size` is not larger than the present one.
  void Shrink(uint32_t size) { size_ = size; }
  void Clear() {
    std::free(at_);
    at_ = nullptr;
    size_ = room_ = 0;
  }

 private:
  bool Grow(uint64_t size) {
    if (size > room_) {
      const uint64_t room = std::max<uint64_t>(16, size + size / 2);
      auto* grown = static_cast<T*>(std::realloc(static_cast<void*>(at_), room * sizeof(T)));
      if (grown == nullptr || room > UINT32_MAX) return false;
      at_ = grown;
      room_ = static_cast<uint32_t>(room);
    }
    std::memset(static_cast<void*>(at_ + size_), 0, (size - size_) * sizeof(T));
    size_ = static_cast<uint32_t>(size);
    return true;
  }

  T* at_ = nullptr;
  uint32_t size_ = 0;
  uint32_t room_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_TABLE_H_
