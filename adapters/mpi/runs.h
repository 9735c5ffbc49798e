// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks as runs of equal steps: rows and columns of a grid are one run each, however many ranks there are.
#ifndef EPIK_ADAPTERS_MPI_RUNS_H_
#define EPIK_ADAPTERS_MPI_RUNS_H_

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "runtime/event/layout.h"

namespace epik::mpi {

class Runs {
 public:
  Runs() = default;
  ~Runs() { std::free(runs_); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // Appends the runs of this list. Without memory, the rest is left out.
  void Add(const int32_t* ranks, int32_t count) {
    for (int32_t i = 0; i < count;) {
      event::RankRun run = {ranks[i], i + 1 < count ? ranks[i + 1] - ranks[i] : 0, 1};
      for (++i; i < count && ranks[i] - ranks[i - 1] == run.step; ++i) ++run.count;
      if (!Append(run)) return;
    }
  }

  const event::RankRun* data() const { return runs_; }
  uint32_t count() const { return count_; }
  // Hands the runs to the caller, who frees them.
  event::RankRun* Take() {
    count_ = room_ = 0;
    return std::exchange(runs_, nullptr);
  }

 private:
  bool Append(const event::RankRun& run) {
    if (count_ == room_) {
      const uint32_t room = room_ == 0 ? 16 : 2 * room_;
      void* larger = std::realloc(runs_, room * sizeof run);
      if (larger == nullptr) return false;
      runs_ = static_cast<event::RankRun*>(larger);
      room_ = room;
    }
    runs_[count_++] = run;
    return true;
  }

  event::RankRun* runs_ = nullptr;
  uint32_t count_ = 0;
  uint32_t room_ = 0;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_RUNS_H_
