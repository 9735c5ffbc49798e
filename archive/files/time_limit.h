// SPDX-License-Identifier: BSD-3-Clause
// A limit of the time for work that others wait for. The work asks now and then, and ends by an exception when the time
// is over.
#ifndef EPIK_ARCHIVE_FILES_TIME_LIMIT_H_
#define EPIK_ARCHIVE_FILES_TIME_LIMIT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>

namespace epik::archive {

class TimeLimit {
 public:
  TimeLimit() = default;  // the work may take as long as it likes
  // `is_over` is called in several threads.
  explicit TimeLimit(std::function<bool()> is_over) : is_over_(std::move(is_over)) {}
  static TimeLimit After(std::chrono::seconds time) {
    return TimeLimit(
        [end = std::chrono::steady_clock::now() + time] { return std::chrono::steady_clock::now() > end; });
  }

  bool IsThere() const { return is_over_ != nullptr; }
  void Check() const {
    if (is_over_ != nullptr && is_over_()) throw std::runtime_error("it takes too long here");
  }

 private:
  std::function<bool()> is_over_;
};

// Asks at the first one of many short steps, and at each 4096th from there on.
class TimedSteps {
 public:
  explicit TimedSteps(const TimeLimit& limit) : limit_(limit) {}
  void Step() {
    if (steps_++ % 4096 == 0) limit_.Check();
  }

 private:
  const TimeLimit& limit_;
  uint64_t steps_ = 0;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_TIME_LIMIT_H_
