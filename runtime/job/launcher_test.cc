// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job/launcher.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>

namespace epik::job {
namespace {

std::map<std::string, std::string> variables;

const char* Variable(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}

TEST(Launcher, HydraIsTheOtherEndOfTheSocket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  variables = {{"PMI_FD", std::to_string(ends[0])}, {"PMI_RANK", "2"}, {"PMI_SIZE", "4"}};
  const Launched launched = LaunchedBy(Variable);
  EXPECT_EQ(launched.job.rfind("pmi" + std::to_string(getpid()) + "-", 0), 0u) << launched.job;
  EXPECT_EQ(launched.rank, 2);
  EXPECT_EQ(launched.ranks, 4);
  variables["PMI_SPAWNED"] = "1";
  EXPECT_EQ(LaunchedBy(Variable).job, "");
  close(ends[0]);
  close(ends[1]);
}

TEST(Launcher, OpenMpiAndSlurmHaveNames) {
  variables = {
      {"PMIX_NAMESPACE", "prterun-host-12@1/../x"}, {"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  EXPECT_EQ(LaunchedBy(Variable).job, "ompiprterun-host-12-1----x");
  variables = {{"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "3"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}};
  EXPECT_EQ(LaunchedBy(Variable).job, "slurm77-3");
  EXPECT_EQ(LaunchedBy(Variable).rank, 1);
}

TEST(Launcher, KnowsNothingOfOneProcessOrOfNonsense) {
  variables = {};
  EXPECT_EQ(LaunchedBy(Variable).job, "");
  variables = {{"PMI_FD", "900"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "4"}};
  EXPECT_EQ(LaunchedBy(Variable).job, "");
  variables = {{"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "3"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
  EXPECT_EQ(LaunchedBy(Variable).job, "");
  for (const char* rank : {"8", "-1", "x", "99999999999", ""}) {
    variables["SLURM_STEP_NUM_TASKS"] = "8";
    variables["SLURM_PROCID"] = rank;
    EXPECT_EQ(LaunchedBy(Variable).job, "") << rank;
  }
}

}  // namespace
}  // namespace epik::job
