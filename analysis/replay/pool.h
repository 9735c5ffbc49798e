// SPDX-License-Identifier: BSD-3-Clause
// Objects that come and go, named by number, so that memory follows the number that exists at a time. Objects do not
// move.
#ifndef EPIK_ANALYSIS_REPLAY_POOL_H_
#define EPIK_ANALYSIS_REPLAY_POOL_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace epik::replay {

template <typename T>
class Pool {
 public:
  // Returns an object in the state in which its last user left it: the caller makes it new.
  uint32_t Take() {
    if (!free_.empty()) {
      const uint32_t number = free_.back();
      free_.pop_back();
      return number;
    }
    if (used_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique<T[]>(kChunk));
    return used_++;
  }
  void Give(uint32_t number) { free_.push_back(number); }
  T& operator[](uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  const T& operator[](uint32_t number) const { return chunks_[number / kChunk][number % kChunk]; }
  size_t in_use() const { return used_ - free_.size(); }

 private:
  static constexpr uint32_t kChunk = 256;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<uint32_t> free_;
  uint32_t used_ = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_POOL_H_
