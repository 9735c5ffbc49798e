// SPDX-License-Identifier: BSD-3-Clause
// Clocks that are apart by known amounts: what is measured must be within the error that is claimed.
#include "runtime/episode/job_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <vector>

#include "runtime/archive/test_group.h"

namespace epik::episode {
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

INSTANTIATE_TEST_SUITE_P(Sizes, JobClockTest, ::testing::Values(1, 2, 3, 8, 11));

}  // namespace
}  // namespace epik::episode
