// SPDX-License-Identifier: BSD-3-Clause
// Runs independent parts of a piece of work on some threads.
#ifndef EPIK_ARCHIVE_FILES_PARALLEL_H_
#define EPIK_ARCHIVE_FILES_PARALLEL_H_

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace epik::archive {

// The number of processors that this process may use.
inline unsigned Cores() {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&mine)));
}

// Starts up to `count` threads that run `work`: fewer if the system allows no more.
template <typename Work>
std::vector<std::thread> StartThreads(size_t count, const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::exception&) {
    // The threads that exist do all of the work.
  }
  return threads;
}

// Calls use(0) … use(count - 1), in any order. The first exception is thrown again.
template <typename Use>
void ForEachPart(size_t count, unsigned threads, const Use& use) {
  std::atomic<size_t> next = 0;
  std::exception_ptr failed;
  std::mutex lock;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) use(i);
    } catch (...) {
      const std::lock_guard<std::mutex> guard(lock);
      failed = std::current_exception();
      next = count;
    }
  };
  const size_t workers = std::min<size_t>(threads, count);
  std::vector<std::thread> others = StartThreads(workers == 0 ? 0 : workers - 1, work);
  work();
  for (std::thread& other : others) other.join();
  if (failed != nullptr) std::rethrow_exception(failed);
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_PARALLEL_H_
