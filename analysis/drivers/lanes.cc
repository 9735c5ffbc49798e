// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/lanes.h"

#include <algorithm>
#include <utility>

#include "archive/files/parallel.h"

namespace epik::drivers {

// Gives replay the events of one location.
class Lanes::Reader : public replay::EventSource {
 public:
  Reader(Lanes* lanes, uint32_t location) : lanes_(lanes), location_(location) {}
  bool Next(archive::Event* event) override {
    while (!batch_.Take(event, &skipped_, &times_)) {
      if (!lanes_->Next(location_, &batch_)) return false;
    }
    return true;
  }

 private:
  Lanes* lanes_;
  uint32_t location_;
  Batch batch_;
  std::vector<replay::PathTime> times_;
};

Lanes::Lanes(std::vector<std::unique_ptr<replay::EventSource>> sources, unsigned threads, Filler* filler,
             archive::TimeLimit limit)
    : words_(WordsOfBatch(sources.size())), filler_(filler), limit_(std::move(limit)), lanes_(sources.size()) {
  for (uint32_t l = 0; l < lanes_.size(); ++l) {
    lanes_[l].remote = sources[l] == nullptr;
    lanes_[l].source = std::move(sources[l]);
    if (lanes_[l].remote) {
      lanes_[l].state = State::kFilling;
    } else {
      queue_.push_back(l);
    }
  }
  threads_ = archive::StartThreads(std::min<size_t>(threads, lanes_.size()), [this] { Work(); });
}

Lanes::~Lanes() {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    closing_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::vector<std::unique_ptr<replay::EventSource>> Lanes::Sources() {
  std::vector<std::unique_ptr<replay::EventSource>> sources;
  for (uint32_t l = 0; l < lanes_.size(); ++l) {
    if (lanes_[l].remote) filler_->Want(l);
    sources.push_back(std::make_unique<Reader>(this, l));
  }
  return sources;
}

// Returns a lane that waits for a thread, or kNone if no lane waits. REQUIRES: the lock.
uint32_t Lanes::TakeWaiting() {
  while (!queue_.empty()) {
    const uint32_t location = queue_.front();
    queue_.pop_front();
    if (lanes_[location].state == State::kWaits) return location;
  }
  return replay::kNone;
}

void Lanes::Work() {
  std::unique_lock<std::mutex> guard(lock_);
  while (true) {
    wanted_.wait(guard, [this] { return closing_ || !queue_.empty(); });
    if (closing_) return;
    const uint32_t location = TakeWaiting();
    if (location == replay::kNone) continue;
    lanes_[location].state = State::kFilling;
    guard.unlock();
    FillLane(location);
    guard.lock();
  }
}

// REQUIRES: the caller has made the lane's state kFilling.
void Lanes::FillLane(uint32_t location) {
  Lane& lane = lanes_[location];
  try {
    Batch batch = std::move(lane.next);
    batch.Clear();
    const bool last = !Fill(lane.source.get(), words_, &batch);
    Put(location, std::move(batch), last);
  } catch (...) {
    Fail(location, std::current_exception());
  }
}

void Lanes::Put(uint32_t location, Batch batch, bool last) {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    Lane& lane = lanes_[location];
    lane.next = std::move(batch);
    lane.last = last;
    lane.state = State::kFull;
    if (last) lane.source.reset();
  }
  filled_.notify_all();
}

void Lanes::Fail(uint32_t location, std::exception_ptr why) {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    lanes_[location].failed = std::move(why);
  }
  filled_.notify_all();
}

// Takes the next batch, so that the one after it can be filled. While other threads fill it, this thread fills lanes
// that wait.
bool Lanes::Next(uint32_t location, Batch* batch) {
  Lane& lane = lanes_[location];
  std::unique_lock<std::mutex> guard(lock_);
  while (lane.state != State::kFull) {
    if (lane.state == State::kOver) return false;
    if (lane.failed != nullptr) std::rethrow_exception(lane.failed);
    const uint32_t mine = lane.state == State::kWaits ? location : TakeWaiting();
    if (mine != replay::kNone) {
      lanes_[mine].state = State::kFilling;
      guard.unlock();
      FillLane(mine);
      guard.lock();
    } else {
      WaitUntil(&filled_, &guard, limit_, [&] { return lane.state != State::kFilling || lane.failed != nullptr; });
    }
  }
  std::swap(lane.next, *batch);
  if (lane.last) {
    lane.state = State::kOver;
    return true;
  }
  lane.state = lane.remote ? State::kFilling : State::kWaits;
  if (!lane.remote) queue_.push_back(location);
  guard.unlock();
  if (lane.remote) {
    filler_->Want(location);
  } else {
    wanted_.notify_one();
  }
  return true;
}

}  // namespace epik::drivers
