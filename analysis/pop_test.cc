// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pop.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "analysis/scaling.h"

namespace epik::analysis {
namespace {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

// Seconds of one thread: work, implicit barrier, MPI, idle.
struct Thread {
  int rank, thread;
  std::array<double, 4> seconds;
};

uint32_t Add(Profile* p, uint32_t parent, const char* name, const char* paradigm, const char* role) {
  archive::Region region;
  region.name = name;
  region.paradigm = paradigm;
  region.role = role;
  p->regions.push_back(region);
  p->call_paths.push_back({static_cast<uint32_t>(p->regions.size() - 1), parent});
  return static_cast<uint32_t>(p->call_paths.size() - 1);
}

constexpr uint32_t kMain = 1, kWork = 3, kReceive = 5;

// program > main > {parallel > {work, barrier}, MPI_Recv}, idle; and what main calls in the first threads: MPI_Init,
// and `alone` seconds of computation. `measuring`: the measurement's own seconds, by thread.
Profile Make(const std::vector<Thread>& threads, Along along, double init = 0, double alone = 0,
             const std::vector<double>& measuring = {}) {
  Profile p;
  for (const Thread& t : threads) {
    if (p.processes.size() <= static_cast<size_t>(t.rank)) p.processes.push_back({0, t.rank, ""});
    p.locations.push_back({static_cast<uint32_t>(t.rank), t.thread, ""});
  }
  const uint32_t root = Add(&p, kNone, "program", "measurement", "artificial");
  const uint32_t main = Add(&p, root, "main", "compiler", "function");
  const uint32_t parallel = Add(&p, main, "parallel", "openmp", "parallel");
  const uint32_t paths[] = {
      Add(&p, parallel, "work", "compiler", "function"), Add(&p, parallel, "barrier", "openmp", "implicit barrier"),
      Add(&p, main, "MPI_Recv", "mpi", "function"), Add(&p, root, "idle", "openmp", "artificial")};
  const uint32_t start = init > 0 ? Add(&p, main, "MPI_Init", "mpi", "function") : kNone;
  const uint32_t own = measuring.empty() ? kNone : Add(&p, kNone, "measurement", "measurement", "function");
  const uint32_t time = p.AddMetric({"time", "Time", "sec", "", Type::kDouble, along, kNone});
  for (uint32_t l = 0; l < measuring.size(); ++l) p.values[time].Set(own, l, measuring[l]);
  for (uint32_t l = 0; l < threads.size(); ++l) {
    for (size_t i = 0; i < 4; ++i) {
      for (uint32_t at = paths[i]; at != kNone; at = p.call_paths[at].parent) {
        p.values[time].Set(at, l, p.values[time].Real(at, l) + threads[l].seconds[i]);
        if (along == Along::kExclusive) break;
      }
    }
    if (init > 0 && threads[l].thread == 0) p.values[time].Set(start, l, init);
    for (uint32_t at = main; alone > 0 && threads[l].thread == 0 && at != kNone; at = p.call_paths[at].parent) {
      p.values[time].Set(at, l, p.values[time].Real(at, l) + alone);
      if (along == Along::kExclusive) break;
    }
  }
  return p;
}

std::string Strip(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The rows of the tables under a heading.
std::vector<std::vector<std::string>> DocumentedRows(const std::string& heading) {
  std::ifstream file("docs/pop.md");
  std::vector<std::vector<std::string>> rows;
  bool below = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) below = line == "## " + heading;
    if (!below || line.empty() || line[0] != '|') continue;
    rows.emplace_back();
    std::stringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) rows.back().push_back(Strip(cell));
  }
  return rows;
}

// While one thread of a process starts MPI, the others idle: no figure contains either.
TEST(Pop, StartingAndEndingMpiAreLeftOut) {
  const std::vector<Thread> without = {
      {0, 0, {8, 1, 1, 0}}, {0, 1, {6, 3, 0, 1}}, {1, 0, {4, 1, 5, 0}}, {1, 1, {3, 2, 0, 5}}};
  std::vector<Thread> with = without;
  const double init = 3;
  for (Thread& t : with) t.seconds[3] += t.thread == 0 ? 0 : init;
  const Profile profile = Make(with, Along::kExclusive, init), plain = Make(without, Along::kExclusive);
  const Efficiencies a = Pop(plain).Whole(), b = Pop(profile).Whole();
  EXPECT_EQ(a.left_out, 0);
  EXPECT_EQ(b.left_out, init);
  EXPECT_EQ(a.runtime, b.runtime);
  EXPECT_EQ(a.mpi, b.mpi);
  EXPECT_NEAR(a.parallel, b.parallel, 1e-12);
  EXPECT_NEAR(a.mpi_parallel, b.mpi_parallel, 1e-12);
  EXPECT_NEAR(a.omp_parallel, b.omp_parallel, 1e-12);
  EXPECT_NEAR(a.communication, b.communication, 1e-12);
}

// EPIK starts before main, and writes full buffers in between: that is no communication of the program's.
TEST(Pop, TheMeasurementsOwnWorkIsLeftOut) {
  const Profile alone = Make({{0, 0, {5, 0, 0, 0}}}, Along::kExclusive, 0, 0, {0.5});
  const Efficiencies e = Pop(alone).Whole();
  EXPECT_EQ(e.runtime, 5);
  EXPECT_EQ(e.measuring, 0.5);
  EXPECT_EQ(e.left_out, 0);
  EXPECT_EQ(e.communication, 1);
  EXPECT_EQ(e.parallel, 1);
  // One thread writes its buffer while the other one computes.
  const Profile two = Make({{0, 0, {10, 0, 0, 0}}, {0, 1, {6, 0, 0, 0}}}, Along::kExclusive, 0, 0, {0, 4});
  EXPECT_EQ(Pop(two).Whole().runtime, 10);
  EXPECT_EQ(Pop(two).Whole().communication, 1);
  EXPECT_EQ(Pop(two).Whole().parallel, 0.8);
}

TEST(Pop, TheExampleOfTheDocumentation) {
  std::vector<Thread> threads;
  std::map<std::string, double> documented;
  for (const auto& row : DocumentedRows("By hand")) {
    int rank = 0, thread = 0;
    if (row.size() == 5 && std::sscanf(row[0].c_str(), "%d:%d", &rank, &thread) == 2) {
      threads.push_back({rank, thread, {std::stod(row[1]), std::stod(row[2]), std::stod(row[3]), std::stod(row[4])}});
    }
    if (row.size() == 3 && row[2].find('%') != std::string::npos) documented[row[0]] = std::stod(row[2]) / 100;
  }
  ASSERT_EQ(threads.size(), 4u);
  ASSERT_EQ(documented.size(), 9u);
  for (Along along : {Along::kExclusive, Along::kInclusive}) {
    const Profile profile = Make(threads, along);
    const Efficiencies e = Pop(profile).Whole();
    EXPECT_EQ(e.runtime, 10);
    EXPECT_EQ(e.threads, 4u);
    EXPECT_EQ(e.processes, 2u);
    const std::map<std::string, double> computed = {{"parallel efficiency", e.parallel},
                                                    {"load balance", e.load_balance},
                                                    {"communication efficiency", e.communication},
                                                    {"MPI parallel efficiency", e.mpi_parallel},
                                                    {"balance of the ranks", e.mpi_load_balance},
                                                    {"MPI communication efficiency", e.mpi_communication},
                                                    {"OpenMP parallel efficiency", e.omp_parallel},
                                                    {"balance of the threads", e.omp_load_balance},
                                                    {"threads active", e.omp_region}};
    for (const auto& [name, value] : documented) {
      ASSERT_TRUE(computed.contains(name)) << name;
      EXPECT_NEAR(computed.at(name), value, 0.0005001) << name;
    }
  }
}

TEST(Pop, BothSplitsMultiply) {
  const std::vector<Thread> threads = {{0, 0, {7.5, 0.5, 1.25, 0.75}}, {0, 1, {2, 1, 0, 7}},
                                       {0, 2, {0.5, 3, 0.25, 1}},      {1, 0, {3, 0, 6, 0.5}},
                                       {2, 0, {9, 0.5, 0, 0}},         {2, 1, {1, 1, 1, 1}}};
  const Profile profile = Make(threads, Along::kExclusive);
  const Pop pop(profile);
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    const Efficiencies e = pop.Of(path);
    EXPECT_NEAR(e.load_balance * e.communication, e.parallel, 1e-12);
    EXPECT_NEAR(e.mpi_load_balance * e.mpi_communication, e.mpi_parallel, 1e-12);
    EXPECT_NEAR(e.omp_load_balance * e.omp_region, e.omp_parallel, 1e-12);
    if (e.mpi_parallel > 0) {
      EXPECT_NEAR(e.mpi_parallel * e.omp_parallel, e.parallel, 1e-12);
    }
  }
  EXPECT_EQ(pop.Of(0).parallel, pop.Whole().parallel);
}

TEST(Pop, ASerialProgramIsWhollyEfficient) {
  const Profile profile = Make({{0, 0, {5, 0, 0, 0}}}, Along::kInclusive);
  const Pop pop(profile);
  EXPECT_EQ(pop.Whole().parallel, 1);
  EXPECT_EQ(pop.Whole().omp_parallel, 1);
  const auto verdict = Verdict(profile, pop.Whole(), pop.HasMpi(), pop.HasOpenMp());
  EXPECT_NE(verdict.at(0).find("One thread"), std::string::npos);
}

TEST(Pop, RanksThatNeverCameCountAndAreTold) {
  Profile profile = Make({{0, 0, {4, 0, 0, 0}}, {1, 0, {0, 0, 0, 0}}}, Along::kExclusive);
  const Efficiencies e = Pop(profile).Of(kWork);
  EXPECT_EQ(e.processes, 2u);
  EXPECT_EQ(e.present, 1u);
  EXPECT_EQ(e.parallel, 0.5);
  EXPECT_EQ(e.load_balance, 0.5);
}

TEST(Pop, PhasesOfWorkersHaveARuntimeOfTheirOwn) {
  // The first thread takes part for a moment only; the phase takes as long as its longest worker.
  const Profile profile =
      Make({{0, 0, {0.25, 0, 0, 0}}, {0, 1, {2, 0, 0, 0}}, {0, 2, {4, 0, 0, 0}}}, Along::kInclusive);
  const Efficiencies e = Pop(profile).Of(kWork);
  EXPECT_EQ(e.runtime, 4);
  EXPECT_NEAR(e.parallel, 6.25 / 12, 1e-12);
  EXPECT_EQ(e.communication, 1);
  EXPECT_LE(e.omp_region, 1);
}

TEST(Pop, TheVerdictNamesTheLargestLoss) {
  const auto verdict = [](const std::vector<Thread>& threads) {
    const Profile profile = Make(threads, Along::kExclusive);
    const Pop pop(profile);
    std::string text;
    for (const std::string& s : Verdict(profile, pop.Whole(), true, true)) text += s;
    return text;
  };
  EXPECT_NE(verdict({{0, 0, {9, 0, 1, 0}}, {1, 0, {2, 0, 8, 0}}}).find("between the ranks; busiest is rank 0"),
            std::string::npos);
  EXPECT_NE(verdict({{0, 0, {2, 0, 8, 0}}, {1, 0, {2, 0, 8, 0}}}).find("larger messages"), std::string::npos);
  EXPECT_NE(verdict({{0, 0, {2, 0, 8, 0}}, {1, 0, {2, 0, 8, 0}}}).find("(EPK_WAITS=yes tells)"), std::string::npos);
  EXPECT_NE(verdict({{0, 0, {9, 1, 0, 0}}, {0, 1, {1, 9, 0, 0}}}).find("unequal work: other schedules"),
            std::string::npos);
  EXPECT_NE(verdict({{0, 0, {3, 7, 0, 0}}, {0, 1, {3, 7, 0, 0}}}).find("wait or idle together"), std::string::npos);
  EXPECT_NE(verdict({{0, 0, {9.9, 0, 0.1, 0}}, {1, 0, {9.9, 0, 0.1, 0}}}).find("good"), std::string::npos);
}

// Two processes that are late in turns are in MPI for 16 s together.
TEST(Pop, TheVerdictKnowsWaitingFromMessages) {
  const Profile profile = Make({{0, 0, {2, 0, 8, 0}}, {1, 0, {2, 0, 8, 0}}}, Along::kExclusive);
  const Efficiencies e = Pop(profile).Whole();
  EXPECT_EQ(
      Verdict(profile, e, true, false, 15.2).at(1),
      "What costs most (80 %): processes are late in turns, and the others wait for them in MPI: 95 % of the time "
      "there (`--waits` shows where).");
  EXPECT_EQ(Verdict(profile, e, true, false, 3).at(1),
            "What costs most (80 %): all processes spend time in MPI: fewer or larger messages, or overlap.");
}

// A second that one thread works alone is no imbalance of the other one second, in which both work.
TEST(Pop, WorkOutsideOfParallelRegionsIsNoImbalance) {
  for (const Along along : {Along::kExclusive, Along::kInclusive}) {
    const Profile profile = Make({{0, 0, {0.04, 0, 0, 0}}, {0, 1, {0.04, 0, 0, 1}}}, along, 0, 1);
    const Pop pop(profile);
    const Efficiencies e = pop.Whole();
    EXPECT_NEAR(e.load_balance, 1.08 / 2.08, 1e-12);
    EXPECT_NEAR(e.omp_parallel, 1.08 / 2.08, 1e-12);
    EXPECT_NEAR(e.omp_load_balance, 1, 1e-12);
    EXPECT_NEAR(e.omp_region, 1.08 / 2.08, 1e-12);
    EXPECT_NEAR(pop.Of(2).omp_region, 1, 1e-12);
    EXPECT_EQ(Verdict(profile, e, pop.HasMpi(), pop.HasOpenMp()).at(1),
              "What costs most (48 %): 93 % of computation is outside of parallel regions, where one thread works and "
              "the others idle; busiest is thread 0.");
  }
  // Unequal work in parallel regions is the larger loss here.
  const Profile profile = Make({{0, 0, {5, 0, 0, 0}}, {0, 1, {1, 4, 0, 1}}}, Along::kExclusive, 0, 1);
  const Efficiencies e = Pop(profile).Whole();
  EXPECT_NEAR(e.omp_load_balance, 7.0 / 11, 1e-12);
  EXPECT_NEAR(e.omp_region, 11.0 / 12, 1e-12);
  EXPECT_NE(Verdict(profile, e, true, true).at(1).find("unequal work: other schedules"), std::string::npos);
}

// Threads that the program makes itself compute beside those of OpenMP.
TEST(Pop, NoFactorIsAboveOneWhileThreadsComputeBesideParallelRegions) {
  const Profile profile = Make({{0, 0, {0, 0, 0, 0}}, {0, 1, {10, 0, 0, 0}}}, Along::kExclusive, 0, 10);
  const Efficiencies e = Pop(profile).Whole();
  EXPECT_NEAR(e.omp_parallel, 1, 1e-12);
  EXPECT_NEAR(e.omp_load_balance, 1, 1e-12);
  EXPECT_NEAR(e.omp_region, 1, 1e-12);
}

TEST(Pop, PhasesAreCallPathsOfTheProgramItself) {
  const Profile profile = Make({{0, 0, {8, 1, 1, 0}}}, Along::kInclusive);
  EXPECT_EQ(Pop(profile).Phases(10, 0.05), (std::vector<uint32_t>{kMain, 2, kWork}));  // 2: parallel
  EXPECT_EQ(Pop(profile).Phases(1, 0.05), (std::vector<uint32_t>{kMain}));
  EXPECT_EQ(Pop(profile).Phases(10, 0.95), (std::vector<uint32_t>{kMain}));
}

TEST(Pop, OfSiblingPhasesTheLongestComesFirst) {
  Profile p;
  p.processes.push_back({0, 0, ""});
  p.locations.push_back({0, 0, ""});
  const uint32_t root = Add(&p, kNone, "program", "measurement", "artificial");
  const uint32_t main = Add(&p, root, "main", "compiler", "function");
  const uint32_t brief = Add(&p, main, "brief", "compiler", "function");
  const uint32_t lengthy = Add(&p, main, "lengthy", "compiler", "function");
  const uint32_t part = Add(&p, lengthy, "part", "compiler", "function");
  const uint32_t time = p.AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kExclusive, kNone});
  p.values[time].Set(brief, 0, 2.0);
  p.values[time].Set(lengthy, 0, 3.0);
  p.values[time].Set(part, 0, 4.0);
  EXPECT_EQ(Pop(p).Phases(10, 0.05), (std::vector<uint32_t>{main, lengthy, part, brief}));
  EXPECT_EQ(Pop(p).Phases(2, 0.05), (std::vector<uint32_t>{main, lengthy}));
}

TEST(Pop, NothingMeasuredIsNoNumber) {
  const Profile profile;
  const Efficiencies e = Pop(profile).Whole();
  EXPECT_EQ(e.parallel, 0);
  EXPECT_EQ(e.omp_parallel, 0);
}

// A run with one thread a rank. All time that is not useful is MPI, and instructions and cycles are spread evenly over
// the threads. The instructions of MPI are in neither.
Profile MakeRun(double runtime, const std::vector<double>& useful, double instructions, double cycles,
                const char* program = "program") {
  std::vector<Thread> threads;
  for (const double seconds : useful) {
    threads.push_back({static_cast<int>(threads.size()), 0, {seconds, 0, runtime - seconds, 0}});
  }
  Profile p = Make(threads, Along::kExclusive);
  p.regions[0].name = program;
  const auto count = [&](const char* name, double all) {
    if (all == 0) return;
    const uint32_t metric = p.AddMetric({name, name, "#", "", Type::kUint64, Along::kExclusive, kNone});
    for (uint32_t l = 0; l < useful.size(); ++l) {
      p.values[metric].Set(kWork, l, static_cast<uint64_t>(all * 1e9 / static_cast<double>(useful.size())));
      p.values[metric].Set(kReceive, l, uint64_t{7'000'000'000});  // MPI_Recv
    }
  };
  count("PAPI_TOT_INS", instructions);
  count("PAPI_TOT_CYC", cycles);
  return p;
}

std::vector<double> Numbers(const std::string& text) {
  std::vector<double> numbers;
  std::stringstream words(text);
  for (double number; words >> number;) numbers.push_back(number);
  return numbers;
}

TEST(Scaling, TheExampleOfTheDocumentation) {
  std::vector<Profile> runs;
  std::map<std::string, std::vector<double>> documented;
  bool results = false;
  for (const auto& row : DocumentedRows("Several scales")) {
    if (row.size() != 5) continue;
    results |= row[0].empty();  // the heading of the second table
    const std::vector<double> first = Numbers(row[0]);
    if (!results && !first.empty()) {
      const std::vector<double> useful = Numbers(row[2]);
      ASSERT_EQ(useful.size(), static_cast<size_t>(first[0]));
      runs.push_back(MakeRun(std::stod(row[1]), useful, std::stod(row[3]), std::stod(row[4])));
    }
    if (!results || row[0].empty() || row[0][0] == '-') continue;
    const double unit = row[1].find('%') == std::string::npos ? 1 : 100;
    for (int i = 1; i <= 3; ++i) documented[row[0]].push_back(std::stod(row[static_cast<size_t>(i)]) / unit);
  }
  ASSERT_EQ(runs.size(), 3u);
  ASSERT_EQ(documented.size(), 9u);
  // The runs may be given in any order.
  const Scaling scaling({&runs[2], &runs[0], &runs[1]}, Problem::kSame);
  EXPECT_EQ(scaling.order(), (std::vector<size_t>{1, 2, 0}));
  const std::vector<Scale> scales = scaling.Whole();
  for (size_t i = 0; i < 3; ++i) {
    const Scale& s = scales[i];
    const std::map<std::string, double> computed = {{"global efficiency", s.global},
                                                    {"parallel efficiency", s.e.parallel},
                                                    {"load balance", s.e.load_balance},
                                                    {"communication efficiency", s.e.communication},
                                                    {"computation scaling", s.computation},
                                                    {"instruction scaling", s.instruction},
                                                    {"IPC scaling", s.ipc},
                                                    {"frequency scaling", s.frequency},
                                                    {"speedup", s.speedup}};
    for (const auto& [name, values] : documented) {
      ASSERT_TRUE(computed.contains(name)) << name;
      EXPECT_NEAR(computed.at(name), values[i], 0.0005001) << name << " of run " << i;
    }
    EXPECT_NEAR(s.global / scales[0].global, s.speedup / (static_cast<double>(s.e.threads) / 2), 1e-9);
  }
  EXPECT_EQ(Verdict(scaling, scales).size(), 2U) << "all runs are of one program";
  EXPECT_EQ(Verdict(scaling, scales)[0], "From 2 to 8 threads: 2.00 times as fast, 50 % of what could be.");
  EXPECT_NE(Verdict(scaling, scales)[1].find("the load balance, from 100 to 75 %"), std::string::npos)
      << Verdict(scaling, scales)[1];
}

TEST(Scaling, AProblemThatGrows) {
  const Profile small = MakeRun(10, {9, 9}, 36, 45), large = MakeRun(12, {9, 9, 9, 9}, 72, 90, "other");
  const Scaling scaling({&small, &large}, Problem::kGrows);
  const std::vector<Scale> scales = scaling.Whole();
  EXPECT_NEAR(scales[1].computation, 1, 1e-9);
  EXPECT_NEAR(scales[1].instruction, 1, 1e-9);
  EXPECT_NEAR(scales[1].speedup, 2 * 10.0 / 12, 1e-9);
  EXPECT_NEAR(scales[1].global, 36.0 / (4 * 12), 1e-9);
  // Matches by call path, whatever the names of the programs.
  const std::vector<Scale> work = scaling.Of(kWork);
  EXPECT_EQ(work[1].e.threads, 4u);
  EXPECT_NEAR(work[1].computation, 1, 1e-9);
}

// Score-P stores counters with those of callees.
TEST(Scaling, InclusiveCountersCountOnce) {
  const Profile small = MakeRun(10, {9, 9}, 36, 45);
  Profile large = MakeRun(6, {5, 5}, 40, 50);
  for (const char* name : {"PAPI_TOT_INS", "PAPI_TOT_CYC"}) {
    const uint32_t metric = large.FindMetric(name);
    for (uint32_t l = 0; l < large.locations.size(); ++l) {
      for (auto path = static_cast<uint32_t>(large.call_paths.size()); path-- > 1;) {
        const uint32_t parent = large.call_paths[path].parent;
        archive::Values& values = large.values[metric];
        if (parent != kNone) values.Set(parent, l, values.Integer(parent, l) + values.Integer(path, l));
      }
    }
    large.metrics[metric].along = Along::kInclusive;
  }
  const std::vector<Scale> scales = Scaling({&small, &large}, Problem::kSame).Whole();
  EXPECT_NEAR(scales[1].instruction, 0.9, 1e-9);
  EXPECT_NEAR(scales[1].instructions, 40e9, 1);
}

TEST(Scaling, WhatARunHasNotIsNotCompared) {
  const Profile small = MakeRun(10, {9}, 36, 45);
  Profile large = MakeRun(6, {5, 5}, 0, 0);
  large.regions[kWork].name = "other work";
  const Scaling scaling({&small, &large}, Problem::kSame);
  EXPECT_EQ(scaling.Of(kWork)[1].e.threads, 0u);
  const std::vector<Scale> scales = scaling.Whole();
  EXPECT_EQ(scales[1].instruction, 0);
  EXPECT_EQ(scales[1].ipc, 0);
  EXPECT_NEAR(scales[1].computation, 0.9, 1e-9);
  EXPECT_NEAR(scaling.InCommon(), 0.1, 1e-9);
  EXPECT_EQ(
      Verdict(scaling, scales).back(),
      "Are these runs of one program? The smallest spends 90 % of its time in call paths that the largest does not "
      "have.");
}

}  // namespace
}  // namespace epik::analysis
