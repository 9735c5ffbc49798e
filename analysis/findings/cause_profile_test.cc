// SPDX-License-Identifier: BSD-3-Clause
// Delays become metrics of the call paths that caused them.
#include "analysis/findings/cause_profile.h"

#include <gtest/gtest.h>

namespace epik::findings {
namespace {

using archive::kNone;

// A process with two threads; call paths program, and idle below it.
archive::Profile TwoThreads() {
  archive::Profile profile;
  profile.regions.resize(2);
  profile.regions[0].name = "program";
  profile.regions[1].name = "idle";
  profile.regions[1].paradigm = "openmp";
  profile.regions[1].role = "artificial";
  profile.call_paths = {{0, kNone}, {1, 0}};
  profile.locations.resize(2);
  return profile;
}

double Delay(const archive::Profile& profile, uint32_t path, uint32_t location) {
  const archive::Values& values = profile.values[profile.FindMetric("delay_ompbarrier")];
  return values.Has(path) ? values.Real(path, location) : 0;
}

TEST(CauseProfile, TimeWithoutAnOpenCallIsThatOfIdleThreads) {
  replay::World world;
  world.locations = {{.process = 0, .number = 0, .column = 0}, {.process = 0, .number = 1, .column = 1}};
  causes::Delays delays;
  delays.costs[{0, kNone, causes::kTeamBarrier, false}] = 1'000'000'000;
  delays.costs[{1, kNone, causes::kTeamBarrier, false}] = 2'000'000'000;
  archive::Profile profile = TwoThreads();
  AddCauses(delays, world, &profile);
  EXPECT_EQ(Delay(profile, 0, 0), 1) << "the process had not begun";
  EXPECT_EQ(Delay(profile, 1, 1), 2) << "the thread started late";
  EXPECT_EQ(Delay(profile, 0, 1), 0);

  profile = TwoThreads();
  profile.regions[1].name = "other";
  AddCauses(delays, world, &profile);
  EXPECT_EQ(Delay(profile, 0, 1), 2) << "the profile has no idle threads";
}

}  // namespace
}  // namespace epik::findings
