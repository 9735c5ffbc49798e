// SPDX-License-Identifier: BSD-3-Clause
// Events of hot call paths through the doors that hooks take, on several threads, while another thread reads the arena.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/choice/arena_test.h"
#include "runtime/choice/hot_paths.h"
#include "runtime/choice/hot_paths_hot.h"

namespace epik::choice {

using episode::current;

namespace {

using archive::LocationImage;
using archive::ProcessImage;

class HotEventsTest : public ArenaTest {
 protected:
  void SetUp() override {
    base::clock_is_tsc = false;
    ArenaTest::SetUp();
  }
  void TearDown() override {
    hot_paths_part.forget();
    ArenaTest::TearDown();
  }

  static void Start(HotAction action) {
    HotLimits limits;
    limits.action = action;
    limits.calls = 20;
    limits.percall_ticks = uint64_t{1} << 40;
    const episode::Inside guard;
    StartHotPaths(limits);
    ASSERT_TRUE(HasHotPaths());
  }

  static void Call(const std::vector<Key>& chain) {
    uint64_t stack = kStack;
    for (const Key key : chain) EnterUnusual(key, stack -= 64, current);
    for (size_t i = chain.size(); i-- > 0; stack += 64) ExitUnusual(chain[i], stack, current);
  }

  static void Thread(uint64_t calls) {
    {
      const episode::Inside guard;
      ASSERT_NE(episode::Attach(episode::Origin{}, base::Now()), nullptr);
    }
    for (uint64_t i = 0; i < calls; ++i) {
      Call({kOuter, kInner, kLeaf});
      Call({kOuter, kLeaf});
      // An exit that was skipped: the frame above is closed by its caller's.
      EnterUnusual(kOuter, kStack - 64, current);
      EnterUnusual(kLeaf, kStack - 128, current);
      ExitUnusual(kOuter, kStack - 64, current);
    }
    const episode::Inside guard;
    episode::DetachThisThread(base::Now());
  }

  struct Sum {
    uint64_t visits = 0, dropped = 0;
  };
  static Sum Of(const ProcessImage& image, Key key) {
    Sum sum;
    for (const LocationImage& location : image.locations) {
      for (const event::Node& node : location.nodes) {
        if (node.key == key) sum.visits += node.visits;
        const bool is_dropped = node.key == event::RegionKey(event::kDroppedMetric);
        if (is_dropped && location.nodes[node.parent].key == key) sum.dropped += node.min;
      }
    }
    return sum;
  }

  // Runs threads and a reader at the same time. Returns the arena's contents at the end.
  static ProcessImage Run(uint64_t calls) {
    constexpr int kThreads = 3;
    std::atomic<int> running{kThreads};
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([calls, &running] {
        Thread(calls);
        --running;
      });
    }
    uint64_t seen = 0;
    while (running != 0) {
      const uint64_t visits = Of(Image(), kLeaf).visits;
      EXPECT_GE(visits + kThreads, seen);  // each may be about to add one
      seen = visits;
    }
    for (std::thread& thread : threads) thread.join();
    ProcessImage image = Image();
    // while threads begin, the reader may find nodes of a location that it has not seen yet
    EXPECT_EQ(image.skipped, 0u);
    return image;
  }
};

TEST_F(HotEventsTest, SampledVisitsAreAllCounted) {
  Start(HotAction::kSample);
  const ProcessImage image = Run(3000);
  EXPECT_EQ(Of(image, kOuter).visits, 3u * 3 * 3000);
  EXPECT_EQ(Of(image, kInner).visits, 3u * 3000);
  EXPECT_EQ(Of(image, kLeaf).visits, 3u * 3 * 3000);
  uint64_t timed = 0, sampled = 0;
  for (const LocationImage& location : image.locations) {
    EXPECT_TRUE(location.frames.empty());
    EXPECT_EQ(location.header.unmatched, 0u);
    for (const event::Node& node : location.nodes) {
      event::SampledPath path;
      std::memcpy(&path, &node, sizeof path);
      if (path.key != event::RegionKey(event::kSampledMetric)) continue;
      ++sampled;
      timed += path.timed;
    }
  }
  // Outer, Inner, and Leaf below each, in every location that threads had.
  EXPECT_EQ(sampled, 4 * image.locations.size());
  EXPECT_GT(timed, 0u);
  EXPECT_LT(timed, 3u * 7 * 3000 / 4);
}

TEST_F(HotEventsTest, DroppedCallsAreCountedApart) {
  Start(HotAction::kDrop);
  const ProcessImage image = Run(3000);
  for (const auto& [key, calls] : {std::pair(kOuter, 9000u), std::pair(kInner, 3000u), std::pair(kLeaf, 9000u)}) {
    const Sum sum = Of(image, key);
    EXPECT_EQ(sum.visits + sum.dropped, 3u * calls) << std::hex << key;
    EXPECT_GT(sum.dropped, 2u * calls);
  }
  for (const LocationImage& location : image.locations) {
    EXPECT_TRUE(location.frames.empty());
    EXPECT_LT(location.nodes.size(), 40u);  // nodes of skipped calls do not pile up
  }
}

}  // namespace
}  // namespace epik::choice
