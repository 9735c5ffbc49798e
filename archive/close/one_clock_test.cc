// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/one_clock.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "runtime/abi/test_group.h"

namespace epik::archive {
namespace {

ProcessImage Image(const char* boot, base::ClockPair first, base::ClockPair last, bool ended = true) {
  ProcessImage image = {};
  std::snprintf(image.header.boot_id, sizeof image.header.boot_id, "%s", boot);
  image.header.timer = base::Timer::kTsc;
  image.header.first_pair = first;
  image.header.pair[0] = last;
  image.header.end_ticks = ended ? last.ticks : 0;
  return image;
}

std::vector<ProcessImage> Share(std::vector<ProcessImage> images) {
  TestJob job(static_cast<int>(images.size()));
  job.Run([&](Group* group) {
    std::vector<ProcessImage> mine;
    ProcessImage& image = images[static_cast<size_t>(group->rank())];
    mine.push_back(std::move(image));
    ShareClocks(group, &mine);
    image = std::move(mine.front());
  });
  return images;
}

TEST(OneClock, ProcessesOfAMachineTakeTheScaleThatIsKnownBest) {
  const std::vector<ProcessImage> shared =
      Share({Image("a", {1000, 100}, {5'000'000, 2'000'010}), Image("b", {7, 7}, {8'000'007, 9'000'007}),
             Image("a", {3000, 901}, {9'001'000, 3'600'100}), Image("a", {2000, 500}, {6'000'000, 2'399'800})});
  for (const size_t i : {0, 2, 3}) {
    EXPECT_EQ(shared[i].header.first_pair.ticks, 1000u);
    EXPECT_EQ(shared[i].header.first_pair.ns, 100u);
    EXPECT_DOUBLE_EQ(shared[i].SecondsPerTick(), 0.4e-9);
  }
  EXPECT_DOUBLE_EQ(shared[1].SecondsPerTick(), 1.125e-9);
}

TEST(OneClock, AKilledProcessKeepsItsLastMoment) {
  const std::vector<ProcessImage> shared =
      Share({Image("a", {1000, 1000}, {9'001'000, 9'001'000}), Image("a", {2000, 2010}, {5000, 5300}, false)});
  EXPECT_EQ(shared[1].LastTicks(), 5000u);
  EXPECT_EQ(shared[1].header.pair[0].ns, 5000u);
  EXPECT_EQ(shared[1].header.first_pair.ticks, 1000u);
}

TEST(OneClock, WhoDoesNotFitKeepsItsOwn) {
  std::vector<ProcessImage> images;
  images.push_back(Image("a", {1000, 1000}, {1'000'001'000, 1'000'001'000}));
  images.push_back(Image("a", {2000, 2000}, {1'000'002'000, 2'000'002'000}));  // damage: twice as fast
  images.push_back(Image("a", {5000, 5000}, {5000, 5000}));                    // killed before the second reading
  images.push_back(Image("", {1, 1}, {1'000'000, 7'000'000}));                 // a machine without a name
  images.push_back(Image("a", {3000, 3000}, {1'000'003'000, 1'000'003'001}));
  const std::vector<ProcessImage> shared = Share(std::move(images));
  EXPECT_DOUBLE_EQ(shared[1].SecondsPerTick(), 2e-9);
  EXPECT_EQ(shared[2].SecondsPerTick(), 0);
  EXPECT_EQ(shared[3].header.first_pair.ticks, 1u);
  EXPECT_EQ(shared[4].header.first_pair.ticks, 1000u);
  EXPECT_EQ(shared[0].header.pair[0].ticks, 1'000'003'000u);
}

// Nobody knows whether they are one machine.
TEST(OneClock, MachinesWithoutANameKeepTheirOwn) {
  const std::vector<ProcessImage> shared =
      Share({Image("", {1000, 100}, {5'000'000, 2'000'010}), Image("", {3000, 901}, {9'001'000, 3'600'100})});
  EXPECT_EQ(shared[0].header.pair[0].ticks, 5'000'000u);
  EXPECT_EQ(shared[1].header.first_pair.ticks, 3000u);
}

}  // namespace
}  // namespace epik::archive
