// SPDX-License-Identifier: BSD-3-Clause
// A job of threads for tests: each thread plays one process, and messages are queues.
#ifndef EPIK_RUNTIME_ABI_TEST_GROUP_H_
#define EPIK_RUNTIME_ABI_TEST_GROUP_H_

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/abi/group.h"

namespace epik::archive {

class TestJob {
 public:
  explicit TestJob(int size) : size_(size) {}

  // Runs `body` once for each rank, at the same time, and waits for all.
  void Run(const std::function<void(Group*)>& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank) {
      threads.emplace_back([this, rank, &body] {
        Member member{this, rank};
        const EpikProcessGroup processes{rank, size_, &member, Send, NextSize, Receive};
        Group group(&processes);
        body(&group);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  // After this many messages every call fails.
  void FailAfter(int messages) { left_ = messages; }
  int messages() const { return messages_; }

 private:
  struct Member {
    TestJob* job;
    int rank;
  };

  static int Send(void* context, int to, const void* bytes, uint64_t size) {
    const auto* member = static_cast<Member*>(context);
    TestJob* job = member->job;
    const std::lock_guard<std::mutex> lock(job->mutex_);
    if (job->left_ == 0) return 1;
    if (job->left_ > 0) --job->left_;
    ++job->messages_;
    job->queues_[{member->rank, to}].emplace_back(static_cast<const char*>(bytes), size);
    job->arrived_.notify_all();
    return 0;
  }

  static int NextSize(void* context, int from, uint64_t* size) {
    const auto* member = static_cast<Member*>(context);
    TestJob* job = member->job;
    std::unique_lock<std::mutex> lock(job->mutex_);
    auto& queue = job->queues_[{from, member->rank}];
    job->arrived_.wait(lock, [&] { return !queue.empty() || job->left_ == 0; });
    if (queue.empty()) {
      job->arrived_.notify_all();
      return 1;
    }
    *size = queue.front().size();
    return 0;
  }

  static int Receive(void* context, int from, void* bytes, uint64_t size) {
    const auto* member = static_cast<Member*>(context);
    TestJob* job = member->job;
    const std::lock_guard<std::mutex> lock(job->mutex_);
    auto& queue = job->queues_[{from, member->rank}];
    if (queue.empty() || queue.front().size() != size) return 1;
    if (size != 0) std::memcpy(bytes, queue.front().data(), size);
    queue.pop_front();
    return 0;
  }

  int size_;
  int left_ = -1;  // messages until everything fails; -1: never
  int messages_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::string>> queues_;
};

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ABI_TEST_GROUP_H_
