// SPDX-License-Identifier: BSD-3-Clause
// Clocks that differ by known amounts: the measured offsets must be within the error that is claimed.
#include "runtime/job/job_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "runtime/abi/test_group.h"

namespace epik::job {
namespace {

thread_local int64_t skew_ns = 0;

uint64_t SkewedNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec * 1'000'000'000 + now.tv_nsec + skew_ns);
}

int64_t SkewOf(int rank) { return rank == 0 ? 0 : rank * int64_t{1'000'000'007} - 5'000'000'000; }

class JobClockTest : public ::testing::TestWithParam<int> {};

TEST_P(JobClockTest, OffsetsAreWithinTheErrorClaimed) {
  std::vector<event::ClockOffset> offsets(static_cast<size_t>(GetParam()));
  archive::TestJob job(GetParam());
  job.Run([&](archive::Group* group) {
    skew_ns = SkewOf(group->rank());
    offsets[static_cast<size_t>(group->rank())] =
        SynchronizeClock(group, static_cast<uint64_t>(group->rank()), SkewedNow);
  });
  for (int rank = 0; rank < GetParam(); ++rank) {
    const event::ClockOffset& offset = offsets[static_cast<size_t>(rank)];
    EXPECT_LE(std::abs(offset.offset_ns + SkewOf(rank)), offset.error_ns) << rank;
    EXPECT_EQ(offset.error_ns == 0, rank == 0);
    EXPECT_LT(offset.error_ns, 1'000'000'000) << "no exchange took that long";
  }
}

TEST_P(JobClockTest, ProcessesThatShareAClockAreNotMeasured) {
  archive::TestJob job(GetParam());
  job.Run([&](archive::Group* group) {
    skew_ns = 0;
    const event::ClockOffset offset = SynchronizeClock(group, 42, SkewedNow);
    EXPECT_EQ(offset.offset_ns, 0);
    EXPECT_EQ(offset.error_ns, 0);
  });
  EXPECT_EQ(job.messages(), 3 * (GetParam() - 1));
}

// Barriers come ever less often and then often again. All processes measure at the same ones, although each believes in
// another time, and between two measurements lie the interval and no more than a few times of it.
TEST_P(JobClockTest, AllMeasureAgainAtTheSameBarriers) {
  constexpr uint64_t kInterval = 1'000'000'000, kBarriers = 3000;
  const auto time_of = [](uint64_t barrier) {
    const uint64_t slow = std::min<uint64_t>(barrier, 1000);
    return barrier * 2'000'000 + slow * slow * 10'000;  // 2 to 22 ms apart, then 2
  };
  std::vector<std::vector<uint64_t>> measured(static_cast<size_t>(GetParam()));
  archive::TestJob job(GetParam());
  job.Run([&](archive::Group* group) {
    const uint64_t skew = static_cast<uint64_t>(group->rank()) * 123'456'789'000;
    ClockSchedule schedule(kInterval);
    ASSERT_TRUE(schedule.IsOn());
    schedule.Start(skew);
    for (uint64_t barrier = 1; barrier <= kBarriers; ++barrier) {
      if (!schedule.IsDue() || !schedule.Decide(group, skew + time_of(barrier))) continue;
      measured[static_cast<size_t>(group->rank())].push_back(barrier);
    }
  });
  for (const std::vector<uint64_t>& at : measured) EXPECT_EQ(at, measured[0]);
  ASSERT_GE(measured[0].size(), 5u);
  uint64_t last = 0;
  for (const uint64_t barrier : measured[0]) {
    EXPECT_GE(time_of(barrier) - time_of(last), kInterval);
    EXPECT_LE(time_of(barrier) - time_of(last), 3 * kInterval);
    last = barrier;
  }
  // A decision is a message to each other process; most barriers need none.
  if (GetParam() > 1) {
    EXPECT_LT(job.messages(), static_cast<int>(kBarriers / 4) * (GetParam() - 1));
  }
}

TEST(ClockSchedule, IsOffByDefaultAndEndsWhenMessagesFail) {
  EXPECT_FALSE(ClockSchedule(0).IsOn());
  archive::TestJob job(3);
  job.FailAfter(0);
  job.Run([](archive::Group* group) {
    ClockSchedule schedule(1);
    ASSERT_TRUE(schedule.IsDue());
    EXPECT_FALSE(schedule.Decide(group, 1000));
    for (int i = 0; i < 10000; ++i) ASSERT_FALSE(schedule.IsDue());
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, JobClockTest, ::testing::Values(1, 2, 3, 8, 11));

}  // namespace
}  // namespace epik::job
