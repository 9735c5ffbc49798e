// SPDX-License-Identifier: BSD-3-Clause
// Knows how far the threads of a process have come, and which of them wait until all others have come as far.
#ifndef EPIK_ANALYSIS_REPLAY_TURNS_H_
#define EPIK_ANALYSIS_REPLAY_TURNS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace epik::replay {

class Turns {
 public:
  static constexpr uint64_t kEnd = UINT64_MAX;

  // Makes room for threads, which are all at their ends.
  void Resize(size_t threads) {
    leaves_ = std::bit_ceil(std::max<size_t>(1, threads));
    least_.assign(2 * leaves_, kEnd);
  }

  // Notes the time of the thread's next event. kEnd: the thread has no event, or nobody shall wait for it now.
  void Set(uint32_t thread, uint64_t ticks) {
    size_t at = leaves_ + thread;
    least_[at] = ticks;
    while ((at /= 2) != 0) least_[at] = std::min(least_[2 * at], least_[2 * at + 1]);
  }
  uint64_t Least() const { return least_[1]; }

  // A location that waits for its turn. `stops` tells whether it still waits.
  struct Waiter {
    uint64_t ticks;
    uint32_t location, stops;
    bool operator<(const Waiter& other) const {  // the earliest one is at the top of a heap
      return std::tie(other.ticks, other.location) < std::tie(ticks, location);
    }
  };
  void Wait(const Waiter& waiter) {
    waiters_.push_back(waiter);
    std::push_heap(waiters_.begin(), waiters_.end());
  }
  // Calls wake(waiter) for each waiter whose turn it is.
  template <class Wake>
  void WakeAll(Wake wake) {
    while (!waiters_.empty() && waiters_.front().ticks <= Least()) {
      const Waiter first = waiters_.front();
      std::pop_heap(waiters_.begin(), waiters_.end());
      waiters_.pop_back();
      wake(first);
    }
  }

 private:
  size_t leaves_ = 1;
  std::vector<uint64_t> least_ = {kEnd, kEnd};  // a tree with the least of both children; the leaves are the threads
  std::vector<Waiter> waiters_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TURNS_H_
