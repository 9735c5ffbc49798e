// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/bottlenecks.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/views/imbalances.h"
#include "report/views/test_job.h"

namespace epik::report {
namespace {

using archive::Profile;
using Kind = Bottleneck::Kind;

std::vector<Bottleneck> Found(const Profile& profile, const archive::Manifest& manifest = {}) {
  return FindBottlenecks(Figures(profile), manifest, true);
}

TEST(Bottlenecks, WhatOneRankRunsAloneCostsAllThatWait) {
  Profile profile = Job(4, 1);
  Add(&profile, "setup", "compiler", "function", {0, 0, 8, 0});
  Add(&profile, "MPI_Bcast", "mpi", "one2all", {8, 8, 0, 8});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kAlone);
  EXPECT_DOUBLE_EQ(found[0].seconds, 6);  // a quarter would remain
  EXPECT_EQ(found[0].text.substr(0, 55), "setup runs on rank 2 alone, 8.00 s, and 3 others wait: ") << found[0].text;
}

TEST(Bottlenecks, WhoHardlyWaitsDoesNotCount) {
  Profile profile = Job(3, 1);
  Add(&profile, "setup", "compiler", "function", {8, 0, 0});
  Add(&profile, "work", "compiler", "function", {0, 7.5, 0});
  Add(&profile, "MPI_Barrier", "mpi", "barrier", {0, 0.5, 8});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].text.substr(0, 54), "setup runs on rank 0 alone, 8.00 s, and 1 other waits:") << found[0].text;
}

TEST(Bottlenecks, TimesOfFilesThatAreNoNumbersCountForNothing) {
  Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {10, 10});
  const uint32_t reads = profile.AddMetric({"io::read_time", "", "sec", "", archive::Type::kDouble});
  profile.values[reads].Set(0, 0, std::numeric_limits<double>::quiet_NaN());
  profile.values[reads].Set(0, 1, 5.0);
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kIo);
  EXPECT_EQ(found[0].text, "Files take 5.00 s, 5.00 s of it read in main, most on rank 1.");
}

TEST(Bottlenecks, NothingCanBeSavedWhereNobodyWaits) {
  Profile profile = Job(4, 1);
  Add(&profile, "setup", "compiler", "function", {0, 0, 8, 0});
  Add(&profile, "other", "compiler", "function", {8, 8, 0, 8});
  for (const Bottleneck& found : Found(profile)) EXPECT_NE(found.kind, Kind::kAlone) << found.text;
}

TEST(Bottlenecks, NobodyWaitsInLocalFunctionsOfMpiOrWhileAllStart) {
  Profile profile = Job(2, 1);
  Add(&profile, "poll", "compiler", "function", {4, 0});
  Add(&profile, "MPI_Wtime", "mpi", "function", {0, 4});
  Add(&profile, "MPI_Init", "mpi", "function", {5, 5});
  for (const Bottleneck& found : Found(profile)) EXPECT_NE(found.kind, Kind::kAlone) << found.text;
}

TEST(Bottlenecks, ThreadsThatHadEndedCouldHaveSharedTheWork) {
  Profile profile = Job(1, 4);
  Add(&profile, "work", "compiler", "function", {0, 8, 2, 2});
  Add(&profile, "pthread_join", "pthread", "barrier", {8, 0, 0, 0});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kUneven);
  EXPECT_DOUBLE_EQ(found[0].seconds, 4);  // 8 less the mean of three
  EXPECT_EQ(found[0].text.substr(0, 66), "work is uneven: thread 1 takes 8.00 s, 2.0 times the mean of 4.00 ")
      << found[0].text;
}

TEST(Bottlenecks, ThreadsThatWaitForASignalWaitForWork) {
  Profile profile = Job(1, 4);
  Add(&profile, "serial", "compiler", "function", {8, 0, 0, 0});
  Add(&profile, "pthread_cond_wait", "pthread", "wait", {0, 8, 8, 8});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kAlone);
  EXPECT_DOUBLE_EQ(found[0].seconds, 6);
}

TEST(Bottlenecks, ALockOfLibcIsNamedAndNoImbalance) {
  Profile profile = Job(1, 4);
  Add(&profile, "work", "compiler", "function", {1, 1, 1, 1});
  Add(&profile, "pthread_mutex_lock", "pthread", "wait", {0, 3, 6, 9});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kExclusion);
  EXPECT_NE(found[0].text.find("18.0 s in pthread_mutex_lock, most on thread 3"), std::string::npos) << found[0].text;
}

TEST(Bottlenecks, ProgramsWithoutHooksHaveTheirCodeInTheRoot) {
  Profile profile = Job(2, 1);
  Add(&profile, "solver", "", "artificial", {8, 2});
  Add(&profile, "MPI_Recv", "mpi", "point2point", {0, 6}, 0);
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kUneven);
  EXPECT_EQ(found[0].text,
            "The code of solver is uneven: rank 0 takes 8.00 s, 1.6 times the mean of 5.00 s: up to 3.00 s of the run "
            "time could be saved.");
  EXPECT_EQ(found[0].path, 0u);
  // With hooks, the root has what is outside of all functions.
  Add(&profile, "main", "compiler", "function", {0, 0}, 0);
  EXPECT_TRUE(Found(profile).empty());
}

// The code of threads without hooks is in their own region.
TEST(Bottlenecks, ThreadsOfAProgramWithoutHooksRunItsCode) {
  Profile profile = Job(2, 2);
  Add(&profile, "solver", "", "artificial", {8, 0, 4, 0});
  Add(&profile, "thread", "pthread", "thread create", {0, 6, 0, 6}, 0);
  Add(&profile, "MPI_Recv", "mpi", "point2point", {0, 2, 4, 2}, 0);
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kUneven);
  EXPECT_EQ(found[0].text.substr(0, 74), "The code of solver is uneven: rank 0 thread 0 takes 8.00 s, 1.3 times the ")
      << found[0].text;
}

TEST(Bottlenecks, FirstThreadsAlone) {
  Profile profile = Job(2, 2);
  Add(&profile, "serial", "compiler", "function", {4, 0, 4, 0});
  Add(&profile, "idle", "openmp", "artificial", {0, 4, 0, 4});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kFirstThreads);
  EXPECT_DOUBLE_EQ(found[0].seconds, 2);
}

TEST(Bottlenecks, ACriticalSectionIsNamedAndNoImbalance) {
  Profile profile = Job(1, 4);
  Add(&profile, "parallel @x.c:1", "openmp", "parallel", {1, 1, 1, 1});
  Add(&profile, "critical @x.c:2", "openmp", "critical", {0, 3, 6, 9});
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kExclusion);
  EXPECT_NE(found[0].text.find("18.0 s in critical @x.c:2, most on thread 3 (9.00 s)"), std::string::npos)
      << found[0].text;
}

TEST(Bottlenecks, NobodyCanTakeAShareOfACriticalSection) {
  Profile profile = Job(1, 2);
  Add(&profile, "parallel @x.c:1", "openmp", "parallel", {1, 1});
  Add(&profile, "critical @x.c:2", "openmp", "critical", {3, 6}, 0);
  Add(&profile, "critical block @x.c:2", "openmp", "critical sblock", {1, 0}, 1);
  Add(&profile, "update", "compiler", "function", {6, 2}, 2);
  const std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u) << found[0].text;
  EXPECT_EQ(found[0].kind, Kind::kExclusion);
}

TEST(Bottlenecks, ALockIsNamedWithItsCaller) {
  Profile profile = Job(1, 2);
  Add(&profile, "push", "compiler", "function", {1, 1});
  Add(&profile, "pop", "compiler", "function", {1, 1});
  Add(&profile, "pthread_mutex_lock", "pthread", "wait", {3, 6}, 0);
  EXPECT_NE(Found(profile)[0].text.find("in pthread_mutex_lock of push, most on thread 1"), std::string::npos);
  profile.call_paths.push_back({2, 1});
  archive::Values grown(archive::Type::kDouble, 4, 2);
  for (uint32_t p = 0; p < 4; ++p) {
    for (uint32_t l = 0; l < 2; ++l) grown.Set(p, l, p < 3 ? profile.values[0].Real(p, l) : 1);
  }
  profile.values[0] = grown;
  EXPECT_NE(Found(profile)[0].text.find("in pthread_mutex_lock, mostly of push, most"), std::string::npos);
}

TEST(Bottlenecks, FilesAndProcessorsOfOthers) {
  Profile profile = Job(2, 1);
  Add(&profile, "MPI_File_write", "mpi", "file io", {1, 3});
  archive::Manifest manifest;
  manifest.cpu_seconds = 1;
  manifest.queued_seconds = 1;
  const std::vector<Bottleneck> found = Found(profile, manifest);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, Kind::kIo);
  EXPECT_NE(found[0].text.find("4.00 s of it MPI_File_write, most on rank 1."), std::string::npos) << found[0].text;
  EXPECT_EQ(found[1].kind, Kind::kOversubscribed);
  EXPECT_NE(found[1].text.find("50 %"), std::string::npos);
  EXPECT_TRUE(Found(Job(2, 1)).empty());
}

TEST(Bottlenecks, WhereThereAreEnoughProcessorsNobodyIsToldToStartFewerThreads) {
  Profile profile = Job(2, 2);
  Add(&profile, "work", "compiler", "function", {1, 1, 1, 1});
  archive::Manifest manifest;
  manifest.cpu_seconds = 1;
  manifest.queued_seconds = 1;
  EXPECT_NE(Found(profile, manifest)[0].text.find("where there are fewer processors"), std::string::npos)
      << "not known";
  manifest.processors = 3;
  EXPECT_NE(Found(profile, manifest)[0].text.find(": start fewer ranks or threads"), std::string::npos);
  manifest.processors = 4;
  const std::string text = Found(profile, manifest)[0].text;
  EXPECT_NE(text.find("there are 4 processors for the 4 threads: other programs ran there, or several threads"),
            std::string::npos)
      << text;
  profile.hosts.push_back({"m"});
  profile.processes[1].host = 1;
  manifest.processors = 2;
  EXPECT_NE(Found(profile, manifest)[0].text.find("2 processors for the 2 threads of a host"), std::string::npos);
}

TEST(Bottlenecks, OneThreadIsNotTwoOnOneProcessor) {
  Profile profile = Job(1, 1);
  Add(&profile, "work", "compiler", "function", {1});
  archive::Manifest manifest;
  manifest.cpu_seconds = manifest.queued_seconds = 1;
  manifest.processors = 2;
  EXPECT_TRUE(Found(profile, manifest)[0].text.ends_with(": other programs ran there."))
      << Found(profile, manifest)[0].text;
}

TEST(Bottlenecks, ALittleUnevennessOfMuchTimeIsNamed) {
  Profile profile = Job(2, 1);
  Add(&profile, "work", "compiler", "function", {8.5, 10});
  Add(&profile, "MPI_Waitall", "mpi", "point2point", {1.5, 0});
  std::vector<Bottleneck> found = Found(profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kUneven);
  EXPECT_DOUBLE_EQ(found[0].seconds, 0.75);
  Profile even = Job(2, 1);
  Add(&even, "work", "compiler", "function", {9.2, 10});
  Add(&even, "MPI_Waitall", "mpi", "point2point", {0.8, 0});
  EXPECT_TRUE(Found(even).empty());
}

// 40 functions, of which each is a trifle, and the first thread has twice as much of each.
Profile ManySmallFunctions() {
  Profile profile = Job(1, 2);
  Add(&profile, "parallel @x.c:5", "openmp", "parallel", {0, 0});
  for (int i = 0; i < 40; ++i) Add(&profile, "f" + std::to_string(i), "compiler", "function", {0.2, 0.1}, 0);
  Add(&profile, "implicit barrier @x.c:5", "openmp", "implicit barrier", {0, 4}, 0);
  return profile;
}

TEST(Bottlenecks, AParallelRegionIsUnevenAsAWhole) {
  const std::vector<Bottleneck> found = Found(ManySmallFunctions());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kUneven);
  EXPECT_DOUBLE_EQ(found[0].seconds, 2);
  EXPECT_EQ(found[0].path, 0u);
  EXPECT_EQ(found[0].text.substr(0, 87),
            "The work in parallel @x.c:5 is uneven: thread 0 takes 8.00 s, 1.3 times the mean of 6.0")
      << found[0].text;
  EXPECT_EQ(found[0].text.substr(0, found[0].title), "The work in parallel @x.c:5 is uneven");
  // Where a function is uneven, it is the one to look at.
  Profile one = ManySmallFunctions();
  Add(&one, "most", "compiler", "function", {8, 4}, 0);
  const std::vector<Bottleneck> of_function = Found(one);
  ASSERT_EQ(of_function.size(), 1u);
  EXPECT_TRUE(of_function[0].text.starts_with("most is uneven: ")) << of_function[0].text;
}

TEST(Imbalances, WhoTakesPartAndWhatItCosts) {
  Profile profile = Job(1, 4);
  Add(&profile, "a", "compiler", "function", {8, 4, 0, 0});
  Add(&profile, "pthread_cond_wait", "pthread", "wait", {0, 0, 6, 0});
  Add(&profile, "b", "compiler", "function", {0, 0, 0, 6});
  Add(&profile, "pthread_cond_wait", "pthread", "wait", {0, 2, 2, 0});
  const std::vector<Imbalance> found = FindImbalances(Figures(profile), {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].region, 0u);
  EXPECT_EQ(found[0].seconds, (std::vector<double>{8, 4, 0, -1}));
  EXPECT_EQ(std::pair(found[0].count, found[0].ran), (std::pair<size_t, size_t>(3, 2)));
  EXPECT_EQ(std::pair(found[0].most, found[0].mean), (std::pair<double, double>(8, 4)));
  EXPECT_DOUBLE_EQ(found[0].saved, 4);
  // If one function has nearly all of a parallel region, the region is no second finding.
  Profile nested = Job(1, 2);
  Add(&nested, "parallel @x.c:5", "openmp", "parallel", {0.1, 0.1});
  Add(&nested, "most", "compiler", "function", {8, 4}, 0);
  EXPECT_EQ(FindImbalances(Figures(nested), {}).size(), 1u);
  Profile even = Job(1, 2);
  Add(&even, "a", "compiler", "function", {5, 5.05});
  EXPECT_TRUE(FindImbalances(Figures(even), {}).empty());
}

}  // namespace
}  // namespace epik::report
