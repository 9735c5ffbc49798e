// SPDX-License-Identifier: BSD-3-Clause
#include "archive/unify/topologies.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

TopologyDefinition Grid(uint64_t id, int32_t first, int32_t second) {
  TopologyDefinition grid;
  grid.id = id;
  grid.dimensions = {{4, 0, first}, {3, 1, second}};
  return grid;
}

// A job of which each process has these topologies, and one thread.
struct Job {
  explicit Job(const std::vector<std::vector<TopologyDefinition>>& of_processes) {
    for (uint32_t p = 0; p < of_processes.size(); ++p) {
      processes.emplace_back().topologies = of_processes[p];
      profile.processes.push_back({0, static_cast<int>(p), ""});
      profile.locations.push_back({p, 0, ""});
    }
  }
  size_t Describe() { return DescribeTopologies(processes, &profile); }

  std::vector<ProcessFacts> processes;
  Profile profile;
};

TEST(Topologies, EachProcessHasItsPlaceOnce) {
  Job job({{Grid(7, 0, 0)}, {Grid(7, 3, 2), Grid(7, 1, 1)}});
  EXPECT_EQ(job.Describe(), 0u);
  ASSERT_EQ(job.profile.topologies.size(), 1u);
  const Topology& grid = job.profile.topologies[0];
  EXPECT_EQ(grid.name, "grid 4 x 3");
  EXPECT_EQ(grid.locations, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(grid.coordinates, (std::vector<uint32_t>{0, 0, 3, 2}));
}

TEST(Topologies, APlaceOutsideOfTheGridIsNone) {
  Job job({{Grid(7, 4, 0)}, {Grid(7, 0, 3)}, {Grid(7, -1, 0)}, {Grid(7, 3, 2)}});
  job.Describe();
  ASSERT_EQ(job.profile.topologies.size(), 1u);
  EXPECT_EQ(job.profile.topologies[0].locations, (std::vector<uint32_t>{3}));
}

// A process that could not measure any thread has no location in the profile. The other processes keep their places.
TEST(Topologies, AProcessWithoutThreadsHasNoPlace) {
  Job job({{Grid(7, 0, 0), Grid(8, 0, 0)}, {Grid(8, 1, 1), Grid(7, 2, 2)}});
  job.profile.locations.erase(job.profile.locations.begin());
  EXPECT_EQ(job.Describe(), 0u);
  ASSERT_EQ(job.profile.topologies.size(), 2u);
  EXPECT_EQ(job.profile.topologies[0].coordinates, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(job.profile.topologies[1].coordinates, (std::vector<uint32_t>{2, 2}));
}

TEST(Topologies, TooManyAreCounted) {
  std::vector<TopologyDefinition> first, second;
  for (uint64_t id = 0; id < 258; ++id) {
    first.push_back(Grid(id, 0, 0));
    second.push_back(Grid(257 - id, 1, 1));
  }
  Job job({first, second});
  EXPECT_EQ(job.Describe(), 2u);
  ASSERT_EQ(job.profile.topologies.size(), 256u);
  for (const Topology& topology : job.profile.topologies) EXPECT_EQ(topology.locations.size(), 2u);
}

}  // namespace
}  // namespace epik::archive
