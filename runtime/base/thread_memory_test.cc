// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/thread_memory.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <set>
#include <thread>
#include <vector>

namespace epik::base {
namespace {

struct State {
  uint64_t number = 7;
  const char* word = "word";
};
EPIK_PER_THREAD PerThread<State> state;
EPIK_PER_THREAD PerThread<uint8_t> odd;  // so that others are not aligned by chance
EPIK_PER_THREAD PerThread<uint64_t> sum;

TEST(ThreadMemory, BeginsAsItWasDeclared) {
  for (int i = 0; i < 3; ++i) {
    std::thread([] {
      EXPECT_EQ(state->number, 7u);
      EXPECT_STREQ(state->word, "word");
      EXPECT_EQ(*odd, 0u);
      EXPECT_EQ(*sum, 0u);
      EXPECT_TRUE(HasOwnThreadMemory());
      state->number = 8;
      *odd = 9;
      *sum = 10;
      EXPECT_EQ(state->number + *odd + *sum, 27u);
    }).join();
  }
}

TEST(ThreadMemory, IsOfOneThreadAlone) {
  constexpr uint64_t kThreads = 200;
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &together] {
      *sum = t;
      together.arrive_and_wait();
      EXPECT_EQ(*sum, t);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(&*sum) % alignof(uint64_t), 0u);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::set<uint64_t*> PlacesOf(int threads, bool keep) {
  std::set<uint64_t*> places;
  for (int i = 0; i < threads; ++i) {
    std::thread([&places, keep] {
      places.insert(&*sum);
      KeepThreadMemory(keep);
    }).join();
  }
  return places;
}

TEST(ThreadMemory, OfThreadsThatHaveEndedIsUsedAgain) {
  EXPECT_LT(PlacesOf(5'000, false).size(), 1'000u);
  EXPECT_EQ(PlacesOf(1'000, true).size(), 1'000u) << "others may point into it";
}

TEST(ThreadMemory, OfTheForkingThreadStaysItsOwn) {
  *sum = 5;
  uint64_t* own = &*sum;
  const pid_t child = fork();
  if (child == 0) {
    ForgetThreadMemories();
    const std::set<uint64_t*> others = PlacesOf(6'000, false);  // some thousand are in use still
    _exit(others.count(own) == 0 && *sum == 5 && others.size() < 5'000 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ThreadMemory, AfterAForkThatNobodySaw) {
  *sum = 5;
  uint64_t* own = &*sum;
  const auto child = static_cast<pid_t>(syscall(SYS_fork));
  if (child == 0) {
    const std::set<uint64_t*> others = PlacesOf(500, false);
    _exit(others.count(own) == 0 && *sum == 5 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace epik::base
