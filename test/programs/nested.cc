// SPDX-License-Identifier: BSD-3-Clause
// A tree of threads, each started below a different call path of its parent.     nested [LEVELS [CHILDREN]]
//
// Root of every thread but the first: main > … > StartLeft or StartRight > … of the thread that created it.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {
std::atomic<long> visits{0};
int children = 2;
}  // namespace

void Visit(int level);

__attribute__((noinline)) void Work(int level) { visits.fetch_add(level + 1); }

__attribute__((noinline)) std::thread StartLeft(int level) { return std::thread(Visit, level); }
__attribute__((noinline)) std::thread StartRight(int level) { return std::thread(Visit, level); }

__attribute__((noinline)) void Visit(int level) {
  Work(level);
  if (level == 0) return;
  std::vector<std::thread> started;
  for (int i = 0; i < children; ++i) started.push_back(i % 2 == 0 ? StartLeft(level - 1) : StartRight(level - 1));
  for (auto& thread : started) thread.join();
}

int main(int argc, char** argv) {
  const int levels = argc > 1 ? std::atoi(argv[1]) : 4;
  if (argc > 2) children = std::atoi(argv[2]);
  Visit(levels);
  std::printf("visits %ld\n", visits.load());
  return 0;
}
