// SPDX-License-Identifier: BSD-3-Clause
// Loops, exclusion and tasks under the adapter, again and again: for ThreadSanitizer (`./dev tsan`), which sees the
// program, the adapter and the measurement; adapters/omp/ordering.h tells it the order that libgomp makes, and
// ompt_ordering.h that of libomp (`bazel test --config=clang --config=tsan`). Without the sanitizer, it checks that the
// numbers are right.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/stat.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/episode/lifecycle.h"

// Called by the runtime of the sanitizer, which intercepts malloc, memcpy and the like below libgomp: locks of libgomp
// or libomp order the accesses there.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libgomp.so\ncalled_from_lib:libomp.so\n";
}
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1 halt_on_error=0"; }

#ifdef __SANITIZE_ADDRESS__
// libgomp keeps its teams until the end.
extern "C" const char* __lsan_default_suppressions() { return "leak:libgomp.so"; }
#endif

namespace {

constexpr int kRounds = 50;
constexpr int kThreads = 3;
constexpr int kSize = 200;

class RaceTest : public ::testing::Test {
 protected:
  void SetUp() override { omp_set_num_threads(kThreads); }
};

TEST_F(RaceTest, IsMeasured) {
  long threads = 0;
#pragma omp parallel
#pragma omp atomic
  ++threads;
  EXPECT_EQ(threads, kThreads);
  EXPECT_EQ(epik::episode::CurrentStage(), epik::episode::Stage::kOn);
}

TEST_F(RaceTest, Loops) {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<long> a(kSize), b(kSize);
    long before = 0, after = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < kSize; ++i) a[static_cast<size_t>(i)] = i;
#pragma omp for schedule(guided)
      for (int i = 0; i < kSize; ++i) b[static_cast<size_t>(i)] = a[static_cast<size_t>(kSize - 1 - i)];
#pragma omp single
      before = std::accumulate(b.begin(), b.end(), 0L);
#pragma omp for schedule(static)
      for (int i = 0; i < kSize; ++i) a[static_cast<size_t>(i)] = before;
#pragma omp barrier
#pragma omp sections
      {
#pragma omp section
        b[0] = a[kSize - 1];
#pragma omp section
        b[1] = a[0];
      }
#pragma omp master
      after = b[0] + b[1];
    }
    ASSERT_EQ(before, kSize * (kSize - 1L) / 2);
    ASSERT_EQ(after, 2 * before);
  }
}

TEST_F(RaceTest, CombinedAndNestedRegions) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<long> a(kSize);
    long sums[kThreads][2] = {};
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < kSize; ++i) a[static_cast<size_t>(i)] = i;
#pragma omp parallel num_threads(2 + round % 2)
    {
      long* mine = sums[omp_get_thread_num()];
#pragma omp parallel num_threads(2)
      mine[omp_get_thread_num()] = std::accumulate(a.begin(), a.end(), 0L);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) ASSERT_EQ(sums[i][j], kSize * (kSize - 1L) / 2);
    }
  }
}

TEST_F(RaceTest, Exclusion) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  for (int round = 0; round < kRounds; ++round) {
    long critical = 0, named = 0, locked = 0, nested = 0, copied = 0;
    long double atomic = 0;
#pragma omp parallel
    {
      long told = 0;
#pragma omp single copyprivate(told)
      told = round;
      for (int i = 0; i < 20; ++i) {
#pragma omp critical
        ++critical;
#pragma omp critical(other)
        named += told;
        omp_set_lock(&lock);
        ++locked;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        ++nested;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#ifndef __clang__  // clang asks libatomic for types that are too long for an instruction
#pragma omp atomic
        atomic += 1;
#endif
      }
#pragma omp critical
      copied += told;
    }
    ASSERT_EQ(critical, 20 * kThreads);
    ASSERT_EQ(named, 20L * kThreads * round);
    ASSERT_EQ(locked, 20 * kThreads);
    ASSERT_EQ(nested, 20 * kThreads);
#ifndef __clang__
    ASSERT_EQ(atomic, 20 * kThreads);
#endif
    ASSERT_EQ(copied, static_cast<long>(kThreads) * round);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

long Fibonacci(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a)
  a = Fibonacci(n - 1);
#pragma omp task shared(b) if (n > 4)
  b = Fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

TEST_F(RaceTest, Tasks) {
  for (int round = 0; round < kRounds; ++round) {
    long result = 0, chain = 0;
    std::vector<long> parts(kSize), group(kSize);
    std::vector<std::string> words(20);
#pragma omp parallel
#pragma omp single
    {
      result = Fibonacci(9);
#pragma omp taskgroup
      {
        for (int i = 0; i < kSize; ++i) {
#pragma omp task firstprivate(i) shared(group)
          group[static_cast<size_t>(i)] = i;
        }
      }
      group[0] = std::accumulate(group.begin(), group.end(), 0L);
      for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : chain) shared(chain)
        ++chain;
      }
#pragma omp taskloop shared(parts) num_tasks(7)
      for (int i = 0; i < kSize; ++i) parts[static_cast<size_t>(i)] = i;
      parts[0] = std::accumulate(parts.begin(), parts.end(), 0L);
      for (int i = 0; i < 20; ++i) {
        const std::string word = "a word that is too long for the buffer " + std::to_string(i);
#pragma omp task firstprivate(word, i) shared(words)
        words[static_cast<size_t>(i)] = word;
      }
    }
    ASSERT_EQ(result, 34);
    ASSERT_EQ(chain, 20);
    ASSERT_EQ(group[0], kSize * (kSize - 1L) / 2);
    ASSERT_EQ(parts[0], kSize * (kSize - 1L) / 2);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(words[static_cast<size_t>(i)], "a word that is too long for the buffer " + std::to_string(i));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string archives = std::string(folder != nullptr ? folder : "/tmp") + "/races";
  mkdir(archives.c_str(), 0700);
  setenv("EPK_GDIR", archives.c_str(), 0);
  setenv("EPK_TRACE", "comm", 0);
  setenv("OMP_WAIT_POLICY", "passive", 0);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
