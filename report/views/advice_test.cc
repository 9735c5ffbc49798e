// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/advice.h"

#include <gtest/gtest.h>

#include "report/views/test_job.h"

namespace epik::report {
namespace {

std::string Sentences(const archive::Profile& profile, const archive::Manifest& manifest = {}) {
  std::string all = "\n";
  for (const std::string& sentence : Advise(Figures(profile), manifest, "load", "", true)) all += sentence + "\n";
  return all;
}

TEST(Advice, StartingAndEndingMpiIsNoCommunication) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {4, 4});
  Add(&profile, "MPI_Init", "mpi", "function", {5, 4.8});
  Add(&profile, "MPI_Finalize", "mpi", "function", {0.5, 0.7});
  Add(&profile, "MPI_Allreduce", "mpi", "all2all", {0.5, 0.5});
  const std::string sentences = Sentences(profile);
  EXPECT_EQ(sentences.find("\nMPI takes"), std::string::npos) << sentences;
  EXPECT_NE(sentences.find("Starting and ending MPI takes 55 % of the time"), std::string::npos) << sentences;
}

TEST(Advice, WaitingInMpiIsNamedWhereItIsKnown) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "MPI_Allreduce", "mpi", "all2all", {4, 4});
  EXPECT_NE(Sentences(profile).find("of it in MPI_Allreduce.\n"), std::string::npos) << Sentences(profile);
  const uint32_t waits = profile.AddMetric({"mpi_wait_nxn", "", "sec", "", archive::Type::kDouble});
  profile.values[waits].Set(static_cast<uint32_t>(profile.call_paths.size() - 1), 1, 3.0);
  EXPECT_NE(Sentences(profile).find("of it in MPI_Allreduce.\n"), std::string::npos) << Sentences(profile);
  profile.values[waits].Set(static_cast<uint32_t>(profile.call_paths.size() - 1), 0, 3.5);
  EXPECT_NE(
      Sentences(profile).find("of it in MPI_Allreduce; processes wait there for others that are late, 81 % of it: "
                              "`--waits` shows where.\n"),
      std::string::npos)
      << Sentences(profile);
}

TEST(Advice, CommunicationIsNamedWithoutStartAndEnd) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "MPI_Init", "mpi", "function", {1, 1});
  Add(&profile, "MPI_Send", "mpi", "point2point", {3, 3});
  const std::string sentences = Sentences(profile);
  EXPECT_NE(sentences.find("\nMPI takes 30 % of the time, most on rank 0, 100 % of it in MPI_Send."), std::string::npos)
      << sentences;
  EXPECT_EQ(sentences.find("Starting"), std::string::npos) << sentences;
}

TEST(Advice, WhatIsLocalInMpiDoesNotWaitForWork) {
  for (const auto& [name, waits] : {std::pair{"MPI_Wtime", false}, {"MPI_Barrier", true}}) {
    archive::Profile profile = Job(3, 1);
    Add(&profile, "work", "compiler", "function", {6, 0, 0});
    Add(&profile, "MPI_Recv", "mpi", "point2point", {0, 2, 0});
    Add(&profile, name, "mpi", "function", {0, 4, 6});
    const std::string sentences = Sentences(profile);
    EXPECT_NE(sentences.find("\nMPI takes 67 % of the time"), std::string::npos) << sentences;
    EXPECT_EQ(sentences.find("it may be waiting") != std::string::npos, waits) << sentences;
  }
}

TEST(Advice, StrippedLibrariesNeedTheirDebugFiles) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "parallel @libx.so.7+0xc34d20", "openmp", "parallel", {3, 3});
  Add(&profile, "libx.so.7+0x10", "compiler", "function", {1, 1});
  Add(&profile, "barrier @solve(…)+0x3f", "openmp", "barrier", {3, 3});
  archive::Manifest manifest;
  manifest.modules = {{"/usr/lib/libx.so.7", ""}, {"/usr/lib/liby.so", ""}, {"", ""}};
  const std::string sentences = Sentences(profile, manifest);
  EXPECT_NE(sentences.find("\nlibx.so.7 has no symbols for 31 % of the time: `epk resolve`"), std::string::npos)
      << sentences;
  EXPECT_EQ(Sentences(profile).find("symbols"), std::string::npos);
}

TEST(Advice, NoSuggestedFilterLeavesOutCallsOfMpi) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "MPI_Iprobe", "mpi", "point2point", {3, 3});
  archive::Manifest manifest;
  manifest.cost_percent = 30;
  manifest.cost_seconds = 5;
  archive::Metric visits;
  visits.unique_name = "visits";
  visits.unit = "occ";
  visits.type = archive::Type::kUint64;
  archive::Values counts(archive::Type::kUint64, profile.call_paths.size(), profile.locations.size());
  counts.Set(0, 0, uint64_t{1});
  counts.Set(1, 0, uint64_t{99});
  profile.values[profile.AddMetric(visits)] = counts;
  const std::string sentences = Sentences(profile, manifest);
  EXPECT_NE(sentences.find("99 % of that for calls of MPI_Iprobe: a filter with the line `EXCLUDE REGION MPI_Iprobe`"),
            std::string::npos)
      << sentences;
  // Where processes poll and others have the processors, a bracket of CPU times is known.
  manifest.cpu_seconds = 50.0 / 3;
  manifest.cpu_most_seconds = 25;
  EXPECT_NE(Sentences(profile, manifest).find("Measuring cost 20 %"), std::string::npos) << "at least";
  manifest.cpu_most_seconds = 17.5;  // so narrow that the header has one figure, too
  EXPECT_NE(Sentences(profile, manifest).find("Measuring cost 30 %"), std::string::npos);
  manifest.cpu_most_seconds = 1000;
  EXPECT_EQ(Sentences(profile, manifest).find("Measuring cost"), std::string::npos) << "perhaps next to nothing";
}

}  // namespace
}  // namespace epik::report
