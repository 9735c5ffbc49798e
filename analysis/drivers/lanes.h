// SPDX-License-Identifier: BSD-3-Clause
// Events that are read ahead: for each location the batch that replay takes events from, and the one after it, which
// others fill meanwhile. So two batches of each location are in memory, and replay finds the same events whichever
// thread or process read them.
#ifndef EPIK_ANALYSIS_DRIVERS_LANES_H_
#define EPIK_ANALYSIS_DRIVERS_LANES_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "analysis/drivers/batch.h"
#include "archive/files/time_limit.h"

namespace epik::drivers {

// Words in a batch, for this number of locations.
constexpr size_t WordsOfBatch(size_t locations) {
  constexpr size_t kInAll = size_t{16} << 20, kLeast = 1 << 10, kMost = 1 << 16;
  return std::clamp(kInAll / std::max<size_t>(locations, 1), kLeast, kMost);
}

// Waits until that is so. Throws when the time is over.
template <typename IsSo>
void WaitUntil(std::condition_variable* condition, std::unique_lock<std::mutex>* guard, const archive::TimeLimit& limit,
               const IsSo& is_so) {
  constexpr std::chrono::milliseconds kAsksEach(100);
  if (!limit.IsThere()) return condition->wait(*guard, is_so);
  while (!condition->wait_for(*guard, kAsksEach, is_so)) limit.Check();
}

// Fills the batches of locations that this process does not read itself.
class Filler {
 public:
  virtual ~Filler() = default;
  // Asks for the next batch of the location. The answer comes later, by Lanes::Put.
  virtual void Want(uint32_t location) = 0;
};

class Lanes {
 public:
  // `filler` fills the locations that have no source. `threads`: the number of threads beside the one that replays.
  // A source throws when it must wait and the time is over.
  Lanes(std::vector<std::unique_ptr<replay::EventSource>> sources, unsigned threads, Filler* filler = nullptr,
        archive::TimeLimit limit = {});
  ~Lanes();

  // The sources for replay; call it once. They end before the lanes do.
  std::vector<std::unique_ptr<replay::EventSource>> Sources();
  // Any thread may call it. `last`: the location ends with this batch.
  void Put(uint32_t location, Batch batch, bool last);
  // No more batches of the location will come. When replay needs another one, it ends with the exception.
  void Fail(uint32_t location, std::exception_ptr why);

 private:
  enum class State : uint8_t { kWaits, kFilling, kFull, kOver };
  struct Lane {
    std::unique_ptr<replay::EventSource> source;
    State state = State::kWaits;
    Batch next;
    bool last = false;
    bool remote = false;
    std::exception_ptr failed;
  };
  class Reader;

  bool Next(uint32_t location, Batch* batch);
  uint32_t TakeWaiting();
  void Work();
  void FillLane(uint32_t location);

  const size_t words_;
  Filler* filler_;
  const archive::TimeLimit limit_;
  std::vector<Lane> lanes_;
  std::mutex lock_;
  std::condition_variable filled_, wanted_;
  std::deque<uint32_t> queue_;  // lanes that wait for a thread
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_LANES_H_
