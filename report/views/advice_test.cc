// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/advice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/findings/findings.h"
#include "report/views/test_job.h"
#include "report/views/views.h"

namespace epik::report {
namespace {

std::string Sentences(const archive::Profile& profile, const archive::Manifest& manifest = {},
                      const findings::Findings* found = nullptr) {
  std::string all = "\n";
  for (const std::string& sentence : Advise(Figures(profile), manifest, found, "load", "")) all += sentence + "\n";
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

TEST(Advice, WaitingInMpiIsNamedWhereAnAnalysisFoundIt) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "MPI_Allreduce", "mpi", "all2all", {4, 4});
  findings::Findings found;
  found.distribution.spreads.resize(1);
  found.distribution.spreads[0].pattern = "mpi_wait_nxn";
  found.distribution.spreads[0].seconds = 6.5;
  const std::string sentences = Sentences(profile, {}, &found);
  EXPECT_NE(sentences.find("; processes wait there for others that are late, 81 % of it: `--waits` shows where.\n"),
            std::string::npos)
      << sentences;
}

// One region may be uneven because of another one: only the costliest finding tells something.
TEST(Advice, OneSentenceTellsOfUnevenWork) {
  archive::Profile profile = Job(4, 1);
  Add(&profile, "outer", "compiler", "function", {8, 2, 2, 2});
  Add(&profile, "inner", "compiler", "function", {1, 6, 1, 1});
  Add(&profile, "MPI_Barrier", "mpi", "barrier", {0, 1, 6, 6});
  const std::string sentences = Sentences(profile);
  const size_t first = sentences.find(" is uneven: ");
  EXPECT_EQ(sentences.substr(first - 5, 5), "outer") << sentences;
  EXPECT_EQ(sentences.find(" is uneven: ", first + 1), std::string::npos) << sentences;
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
  manifest.events = 200;
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
  // A profile of a trace of communication lacks most calls, and so it may lack those that cost most.
  manifest.events = 2000;
  EXPECT_NE(
      Sentences(profile, manifest).find("\nMeasuring cost 30 % of the CPU time: `epk score` shows which calls.\n"),
      std::string::npos)
      << Sentences(profile, manifest);
  manifest.events = 200;
  // Where processes poll and others have the processors, a bracket of CPU times is known.
  manifest.cpu_seconds = 50.0 / 3;
  manifest.cpu_most_seconds = 25;
  EXPECT_NE(Sentences(profile, manifest).find("Measuring cost 20 %"), std::string::npos) << "at least";
  manifest.cpu_most_seconds = 17.5;  // so narrow that the header has one figure, too
  EXPECT_NE(Sentences(profile, manifest).find("Measuring cost 30 %"), std::string::npos);
  manifest.cpu_most_seconds = 1000;
  EXPECT_EQ(Sentences(profile, manifest).find("Measuring cost"), std::string::npos) << "perhaps next to nothing";
}

void AddVisits(archive::Profile* profile, const std::vector<uint64_t>& counts) {
  archive::Metric visits;
  visits.unique_name = "visits";
  visits.unit = "occ";
  visits.type = archive::Type::kUint64;
  archive::Values values(archive::Type::kUint64, profile->call_paths.size(), profile->locations.size());
  for (uint32_t p = 0; p < counts.size(); ++p) {
    for (uint32_t l = 0; l < profile->locations.size(); ++l) values.Set(p, l, counts[p]);
  }
  profile->values[profile->AddMetric(visits)] = values;
}

// main > {Work, Exchange > {MPI_Iprobe, MPI_Recv}}: rank 1 polls while rank 0 works.
archive::Profile Polls(uint64_t probes, double between) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {0, 0});
  Add(&profile, "Work", "compiler", "function", {9, 0}, 0);
  Add(&profile, "Exchange", "compiler", "function", {0, between}, 0);
  Add(&profile, "MPI_Iprobe", "mpi", "point2point", {0, 6}, 2);
  Add(&profile, "MPI_Recv", "mpi", "point2point", {0, 0}, 2);
  AddVisits(&profile, {1, 1, 10, probes, 10});
  return profile;
}

TEST(Advice, ALoopThatPollsWaits) {
  archive::Manifest manifest;
  manifest.cost_percent = 30;
  manifest.cost_seconds = 5;
  const std::string sentences = Sentences(Polls(10'000'000, 3), manifest);
  EXPECT_TRUE(
      sentences.starts_with("\nExchange polls: nearly all of 20,000,000 calls of MPI_Iprobe found nothing. The "
                            "9.00 s in that loop, most on rank 1, are waiting for others and no work.\n"
                            "Measuring cost 30 %"))
      << sentences;
  EXPECT_NE(sentences.find("\nWork runs on rank 0 alone, 9.00 s, and 1 other waits: up to 4.50 s"), std::string::npos)
      << sentences;
  EXPECT_EQ(sentences.find("Exchange runs"), std::string::npos) << sentences;
  EXPECT_EQ(sentences.find("MPI takes"), std::string::npos) << sentences;
}

TEST(Pop, TimeOfALoopThatPollsIsInQuestion) {
  for (const bool polls : {true, false}) {
    const archive::Profile profile = Polls(polls ? 10'000'000 : 100'000, 3);
    ViewOptions options;
    options.view = "pop";
    ViewData data;
    std::string error;
    ASSERT_TRUE(MakeView(Figures(profile), options, &data, &error)) << error;
    const auto total = std::find_if(data.totals.begin(), data.totals.end(),
                                    [](const auto& each) { return each.first == "polling_s"; });
    ASSERT_NE(total, data.totals.end());
    EXPECT_EQ(total->second, SheetCell(polls ? 3.0 : 0.0));
    const bool told = data.text.find("up to 3.00 s of 12.0 s of computation are between calls") != std::string::npos;
    EXPECT_EQ(told, polls) << data.text;
    EXPECT_EQ(data.text.find("(MPI_Iprobe in") != std::string::npos, polls) << data.text;
  }
}

TEST(Advice, OtherLoopsThatPollAreCounted) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {9, 0});
  Add(&profile, "First", "compiler", "function", {0, 1}, 0);
  Add(&profile, "MPI_Iprobe", "mpi", "point2point", {0, 3}, 1);
  Add(&profile, "Second", "compiler", "function", {0, 1}, 0);
  Add(&profile, "MPI_Test", "mpi", "function", {0, 2}, 3);
  AddVisits(&profile, {1, 1, 10'000'000, 1, 10'000'000});
  const std::string sentences = Sentences(profile);
  EXPECT_NE(sentences.find("\nFirst polls: "), std::string::npos) << sentences;
  EXPECT_NE(sentences.find("no work; so are 3.00 s in 1 other loop.\n"), std::string::npos) << sentences;
}

TEST(Advice, WhoWorksBetweenTwoProbesDoesNotPoll) {
  EXPECT_EQ(Sentences(Polls(100'000, 3)).find("polls"), std::string::npos) << "30 µs of work for each";
  EXPECT_EQ(Sentences(Polls(50, 3)).find("polls"), std::string::npos) << "a fifth of them found something";
  archive::Profile alone = Polls(10'000'000, 3);
  alone.processes.resize(1);
  for (archive::Location& location : alone.locations) location.process = 0;
  EXPECT_EQ(Sentences(alone).find("polls"), std::string::npos) << "nobody to wait for";
}

// Between the calls, a program without hooks may do anything.
TEST(Advice, OnlyTheCallsOfAProgramWithoutHooksPoll) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "solver", "", "artificial", {9, 3});
  Add(&profile, "MPI_Iprobe", "mpi", "point2point", {0, 6}, 0);
  Add(&profile, "MPI_Recv", "mpi", "point2point", {0, 0}, 0);
  AddVisits(&profile, {1, 10'000'000, 10});
  const std::string sentences = Sentences(profile);
  EXPECT_NE(sentences.find("\nsolver polls: nearly all of 20,000,000 calls of MPI_Iprobe found nothing. The 6.00 s in "
                           "such calls, most on rank 1, are waiting for others and no work.\n"),
            std::string::npos)
      << sentences;
  EXPECT_EQ(sentences.find("uneven"), std::string::npos) << "nobody knows how much of the code is in the loop";
}

// The loop may be in the caller of the function that asks.
TEST(Advice, AFunctionThatAsksOnceIsNoLoop) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {0, 0});
  Add(&profile, "Work", "compiler", "function", {9, 0}, 0);
  Add(&profile, "WaitFor", "compiler", "function", {0, 1}, 0);
  Add(&profile, "IsThere", "compiler", "function", {0, 2}, 2);
  Add(&profile, "MPI_Test", "mpi", "function", {0, 6}, 3);
  Add(&profile, "MPI_Irecv", "mpi", "point2point", {0, 0}, 2);
  AddVisits(&profile, {1, 1, 10, 10'000'000, 10'000'000, 10});
  const std::string sentences = Sentences(profile);
  EXPECT_NE(sentences.find("\nWaitFor polls: nearly all of 20,000,000 calls of MPI_Test"), std::string::npos)
      << sentences;
  EXPECT_NE(sentences.find("The 9.00 s in that loop"), std::string::npos) << sentences;
}

// Other functions start operations, too, and wait for them otherwise.
TEST(Advice, OperationsOfOthersDoNotHideALoopThatPolls) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {0, 0});
  Add(&profile, "Relax", "compiler", "function", {9, 0}, 0);
  Add(&profile, "MPI_Isend", "mpi", "point2point", {0, 0}, 1);
  Add(&profile, "MPI_Waitall", "mpi", "function", {0, 0}, 1);
  Add(&profile, "ExchangeList", "compiler", "function", {0, 0.1}, 0);
  Add(&profile, "MPI_Irecv", "mpi", "point2point", {0, 0}, 4);
  Add(&profile, "MPI_Iprobe", "mpi", "point2point", {0, 3}, 4);
  Add(&profile, "MPI_Testall", "mpi", "function", {0, 6}, 4);
  Add(&profile, "MPI_Recv", "mpi", "point2point", {0, 0}, 4);
  AddVisits(&profile, {1, 1, 90'000, 90'000, 10, 50, 100'000, 100'000, 50});
  EXPECT_NE(Sentences(profile).find("\nExchangeList polls: nearly all of 200,000 calls of MPI_"), std::string::npos)
      << Sentences(profile);
}

TEST(Advice, MpiIsNamedWithItsCaller) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "Norm", "compiler", "function", {0, 0}, 0);
  Add(&profile, "MPI_Allreduce", "mpi", "all2all", {4, 4}, 1);
  EXPECT_NE(Sentences(profile).find("100 % of it in MPI_Allreduce of Norm.\n"), std::string::npos)
      << Sentences(profile);
}

TEST(Advice, TheProgramItselfIsNoCaller) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "solver", "measurement", "artificial", {6, 6});
  Add(&profile, "MPI_Allreduce", "mpi", "all2all", {4, 4}, 0);
  EXPECT_NE(Sentences(profile).find("100 % of it in MPI_Allreduce.\n"), std::string::npos) << Sentences(profile);
}

// main > {MPI_Bcast, Step > {MPI_Comm_dup, MPI_Comm_free}}
std::string OfCommunicators(uint64_t made, uint64_t freed, const char* function = "MPI_Comm_dup") {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "Step", "compiler", "function", {0, 0}, 0);
  Add(&profile, function, "mpi", "function", {0.1, 0.1}, 1);
  Add(&profile, "MPI_Comm_free", "mpi", "function", {0, 0}, 1);
  AddVisits(&profile, {1, made, made, freed});
  return Sentences(profile);
}

TEST(Advice, CommunicatorsThatALoopNeverFrees) {
  for (const char* function : {"MPI_Comm_dup", "MPI_Comm_split", "MPI_Cart_sub"}) {
    EXPECT_NE(OfCommunicators(200, 0, function)
                  .find("\nProcesses make 400 communicators, most by " + std::string(function) +
                        " of Step, and free none: free each after use (`MPI_Comm_free`), or make it once, before the "
                        "loop.\n"),
              std::string::npos)
        << OfCommunicators(200, 0, function);
  }
  EXPECT_NE(OfCommunicators(200, 5).find("and free 10:"), std::string::npos);
  for (const std::string& fine : {OfCommunicators(200, 200), OfCommunicators(200, 199), OfCommunicators(4, 0),
                                  OfCommunicators(200, 0, "MPI_Comm_free")}) {
    EXPECT_EQ(fine.find("communicators"), std::string::npos) << fine;
  }
}

TEST(Advice, NothingIsUnevenInADifferenceOfRuns) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "setup", "compiler", "function", {0, 8});
  Add(&profile, "MPI_Bcast", "mpi", "one2all", {8, 0});
  EXPECT_NE(Sentences(profile).find("setup runs on rank 1 alone"), std::string::npos);
  Add(&profile, "faster", "compiler", "function", {-1, 0});
  EXPECT_EQ(Sentences(profile).find("alone"), std::string::npos) << Sentences(profile);
}

}  // namespace
}  // namespace epik::report
