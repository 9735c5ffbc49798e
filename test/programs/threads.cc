// SPDX-License-Identifier: BSD-3-Clause
// std::thread: a pool that shares out jobs, threads that start threads, and a detached one.     threads [JOBS]
//
// The threads of the pool share the jobs differently in each run; every total is the same.
#include <semaphore.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int kWorkers = 4;

std::atomic<int> next_job{0};
std::atomic<long> total{0};
std::atomic<int> tree_threads{0};
sem_t detached_done;

}  // namespace

__attribute__((noinline)) long Weigh(int job) {
  long weight = 1;
  for (int i = 0; i < job % 17; ++i) weight = weight * 3 % 1009;
  return weight;
}

__attribute__((noinline)) void RunJob(int job) { total.fetch_add(Weigh(job)); }

__attribute__((noinline)) void Worker(int jobs) {
  for (int job = next_job.fetch_add(1); job < jobs; job = next_job.fetch_add(1)) RunJob(job);
}

void RunPool(int jobs) {
  std::vector<std::thread> pool;
  for (int i = 0; i < kWorkers; ++i) pool.emplace_back(Worker, jobs);
  for (auto& thread : pool) thread.join();
}

__attribute__((noinline)) void Grow(int levels) {
  tree_threads.fetch_add(1);
  if (levels == 0) return;
  std::thread left(Grow, levels - 1), right(Grow, levels - 1);
  left.join();
  right.join();
}

__attribute__((noinline)) void Detached() {
  total.fetch_add(1);
  sem_post(&detached_done);
}

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 1000;
  sem_init(&detached_done, 0, 0);
  RunPool(jobs);
  Grow(3);
  std::thread(Detached).detach();
  while (sem_wait(&detached_done) != 0) {
  }
  std::printf("total %ld\ntree %d\n", total.load(), tree_threads.load());
  return 0;
}
