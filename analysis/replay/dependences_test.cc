// SPDX-License-Identifier: BSD-3-Clause
// Checks dependences of tasks by eye, and random ones against the rules of OpenMP, applied to each pair of tasks.
#include "analysis/replay/dependences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace epik::replay {
namespace {

enum : uint64_t { kIn = 1, kOut = 2, kMutex = 3, kSet = 4 };

TEST(Dependences, AReaderNeedsTheWriterAndTheNextWriterNeedsAllReaders) {
  Dependences all;
  all.Add(1, 10, 0x100, kOut);
  all.Add(1, 11, 0x100, kIn);
  all.Add(1, 12, 0x100, kIn);
  all.Add(1, 13, 0x100, kOut);
  all.End(10, 50, 3);
  EXPECT_EQ(LastOf(all.Of(11)).ns, 50);
  EXPECT_EQ(LastOf(all.Of(11)).by, 3u);
  all.End(12, 60, 4);
  all.End(11, 70, 5);
  EXPECT_EQ(LastOf(all.Of(13)).ns, 70);
  EXPECT_EQ(LastOf(all.Of(13)).by, 5u);
  EXPECT_EQ(all.Of(13).size(), 2u);  // in another run the other one may end last
}

TEST(Dependences, TasksOfOtherCreatorsAndOtherObjectsAreIndependent) {
  Dependences all;
  all.Add(1, 10, 0x100, kOut);
  all.Add(2, 11, 0x100, kOut);
  all.Add(1, 12, 0x108, kOut);
  all.End(10, 50, 3);
  EXPECT_EQ(LastOf(all.Of(11)).ns, INT64_MIN);
  EXPECT_EQ(LastOf(all.Of(12)).ns, INT64_MIN);
  EXPECT_EQ(LastOf(all.Of(99)).ns, INT64_MIN);
}

TEST(Dependences, ATaskThatNamesAnObjectTwiceNeedsNotItself) {
  Dependences all;
  all.Add(1, 10, 0x100, kIn);
  all.Add(1, 10, 0x100, kOut);
  all.Add(1, 11, 0x100, kIn);
  EXPECT_EQ(LastOf(all.Of(10)).ns, INT64_MIN);
  all.End(10, 50, 3);
  EXPECT_EQ(LastOf(all.Of(11)).ns, 50);
}

TEST(Dependences, ObjectsOfTasksThatEndedAreForgotten) {
  Dependences all;
  all.Add(1, 1, 8, kOut);
  for (uint64_t task = 2; task < 100000; ++task) {
    all.Add(1, task, 8 * task, kOut);
    all.End(task, static_cast<int64_t>(task), 0);
  }
  all.Add(1, 200000, 8, kIn);
  all.End(1, 300000, 7);
  EXPECT_EQ(LastOf(all.Of(200000)).ns, 300000);
}

// A task of the reference, in the order of creation.
struct Made {
  uint64_t creator, task;
  std::vector<std::pair<uint64_t, uint64_t>> needs;  // object, how
  int64_t ended = INT64_MIN;
};

bool Orders(const Made& first, const Made& second) {
  if (first.creator != second.creator) return false;
  for (const auto& [object, how] : first.needs) {
    for (const auto& [other, its] : second.needs) {
      if (object == other && !(how == its && (how == kIn || how == kSet))) return true;
    }
  }
  return false;
}

TEST(Dependences, RandomTasksFollowTheRules) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Dependences all;
    std::vector<Made> made;
    int64_t now = 1;
    for (uint64_t task = 1; task <= 60; ++task) {
      Made next{1 + random() % 2, task, {}};
      const uint64_t first = random() % 4;
      for (uint64_t n = random() % 3; n > 0; --n) next.needs.push_back({(first + n) % 4 + 1, 1 + random() % 4});
      for (const auto& [object, how] : next.needs) all.Add(next.creator, task, object, how);
      made.push_back(next);
      // Some of the tasks that may end now do, so that later tasks need open ones, ended ones, or both.
      for (size_t t = 0; t < made.size(); ++t) {
        const auto is_open_before = [&](const Made& before) { return before.ended == INT64_MIN; };
        const bool is_ready = std::none_of(made.begin(), made.begin() + static_cast<int64_t>(t),
                                           [&](const Made& m) { return is_open_before(m) && Orders(m, made[t]); });
        if (made[t].ended != INT64_MIN || !is_ready || random() % 3 == 0) continue;
        int64_t latest = INT64_MIN;
        for (size_t b = 0; b < t; ++b) {
          if (Orders(made[b], made[t])) latest = std::max(latest, made[b].ended);
        }
        EXPECT_EQ(LastOf(all.Of(made[t].task)).ns, latest) << "task " << made[t].task << " of round " << round;
        made[t].ended = ++now;
        all.End(made[t].task, now, 0);
      }
    }
  }
}

}  // namespace
}  // namespace epik::replay
