// SPDX-License-Identifier: BSD-3-Clause
// Events that are read ahead: for each location the batch that replay takes events from, and the one after it, which
// others fill meanwhile. So memory has two batches of each location, and replay finds the same events whoever read
// them.
#ifndef EPIK_ANALYSIS_DRIVERS_LANES_H_
#define EPIK_ANALYSIS_DRIVERS_LANES_H_

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "analysis/drivers/batch.h"

namespace epik::drivers {

// Words of a batch, when there are so many locations.
constexpr size_t WordsOfBatch(size_t locations) {
  constexpr size_t kInAll = size_t{16} << 20, kLeast = 1 << 10, kMost = 1 << 16;
  return std::clamp(kInAll / std::max<size_t>(locations, 1), kLeast, kMost);
}

// Fills batches of locations that this process does not read itself.
class Filler {
 public:
  virtual ~Filler() = default;
  // The next batch of the location is wanted. Answers later, by Lanes::Put.
  virtual void Want(uint32_t location) = 0;
};

class Lanes {
 public:
  // A location without a source is filled by `filler`. `threads`: beside the one that replays.
  Lanes(std::vector<std::unique_ptr<replay::EventSource>> sources, unsigned threads, Filler* filler = nullptr);
  ~Lanes();

  // For replay, once. They end before the lanes do.
  std::vector<std::unique_ptr<replay::EventSource>> Sources();
  // From any thread. `last`: the location ends with it.
  void Put(uint32_t location, Batch batch, bool last);
  // No more will be put: replay ends with the exception.
  void Fail(std::exception_ptr why);

 private:
  enum class State : uint8_t { kWaits, kFilling, kFull, kOver };
  struct Lane {
    std::unique_ptr<replay::EventSource> source;
    State state = State::kWaits;
    Batch next;
    bool last = false;
    bool remote = false;
  };
  class Reader;

  bool Next(uint32_t location, Batch* batch);
  uint32_t TakeWaiting();
  void Work();
  void FillLane(uint32_t location);

  const size_t words_;
  Filler* filler_;
  std::vector<Lane> lanes_;
  std::mutex lock_;
  std::condition_variable filled_, wanted_;
  std::deque<uint32_t> queue_;  // lanes that wait for a thread
  std::exception_ptr failed_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_LANES_H_
