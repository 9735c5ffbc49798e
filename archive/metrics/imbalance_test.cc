// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/imbalance.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <map>
#include <string>

#include "archive/cubex/reader.h"
#include "archive/metrics/imbalance_rows.h"
#include "archive/metrics/metric_tree.h"

namespace epik::archive {
namespace {

// Two ranks of two threads: program > main > {serial, MPI_Send, parallel > {work, once}}.
struct Case {
  enum Path : uint32_t { kProgram, kMain, kSerial, kSend, kParallel, kWork, kOnce };

  Case() {
    p.hosts = {{"node0"}};
    p.processes = {{0, 0, "rank 0"}, {0, 1, "rank 1"}};
    p.locations = {{0, 0, "0"}, {0, 1, "1"}, {1, 0, "0"}, {1, 1, "1"}};
    Add(kNone, "program", "measurement", "artificial");
    Add(kProgram, "main", "compiler", "function");
    Add(kMain, "serial", "compiler", "function");
    Add(kMain, "MPI_Send", "mpi", "point2point");
    Add(kMain, "parallel @x.c:1", "openmp", "parallel");
    Add(kParallel, "work", "compiler", "function");
    Add(kParallel, "once", "compiler", "function");
    visits = p.AddMetric({"visits", "Visits", "occ", "", Type::kUint64, Along::kExclusive, kNone});
    time = p.AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kExclusive, kNone});
    Set(kMain, {2, 0, 2, 0});    // even: no imbalance
    Set(kSerial, {6, 0, 2, 0});  // for 2 processes: mean 4
    Set(kSend, {0, 0, 5, 0});    // no computation
    Set(kParallel, {1, 1, 1, 1});
    Set(kWork, {8, 6, 4, 2});  // for 4 threads: mean 5
    Set(kOnce, {0, 0, 0, 4});  // one of 4 threads: mean 1
    ShapeMetrics(&p);
  }

  void Add(uint32_t parent, const char* name, const char* paradigm, const char* role) {
    Region region;
    region.name = region.mangled = name;
    region.paradigm = paradigm;
    region.role = role;
    p.regions.push_back(region);
    p.call_paths.push_back({static_cast<uint32_t>(p.regions.size() - 1), parent});
  }

  void Set(uint32_t path, std::vector<double> seconds) {
    for (uint32_t l = 0; l < 4; ++l) {
      if (seconds[l] == 0) continue;
      p.values[visits].Set(path, l, uint64_t{3});
      p.values[time].Set(path, l, seconds[l]);
    }
  }

  Profile p;
  uint32_t visits, time;
};

std::vector<double> Cells(const Profile& p, const char* metric, uint32_t path) {
  std::vector<double> cells;
  const uint32_t m = p.FindMetric(metric);
  for (uint32_t l = 0; m != kNone && l < p.locations.size(); ++l) cells.push_back(p.values[m].Real(path, l));
  return cells;
}

using Row = std::vector<double>;

void ExpectKnownNumbers(const Profile& p) {
  EXPECT_EQ(Cells(p, "imbalance", Case::kWork), (Row{3, 1, 1, 3}));
  EXPECT_EQ(Cells(p, "imbalance_above", Case::kWork), (Row{3, 1, 0, 0}));
  EXPECT_EQ(Cells(p, "imbalance_below", Case::kWork), (Row{0, 0, 1, 3}));
  EXPECT_EQ(Cells(p, "imbalance_below_bypass", Case::kWork), (Row{0, 0, 0, 0}));
  // Outside of parallel regions only the first threads can compute.
  EXPECT_EQ(Cells(p, "imbalance", Case::kSerial), (Row{2, 0, 2, 0}));
  EXPECT_EQ(Cells(p, "imbalance_above", Case::kSerial), (Row{2, 0, 0, 0}));
  EXPECT_EQ(Cells(p, "imbalance_below", Case::kSerial), (Row{0, 0, 2, 0}));
  // A single thread computes.
  EXPECT_EQ(Cells(p, "imbalance", Case::kOnce), (Row{1, 1, 1, 3}));
  EXPECT_EQ(Cells(p, "imbalance_above_single", Case::kOnce), (Row{0, 0, 0, 3}));
  EXPECT_EQ(Cells(p, "imbalance_below_bypass", Case::kOnce), (Row{1, 1, 1, 0}));
  EXPECT_EQ(Cells(p, "imbalance_below_singularity", Case::kOnce), (Row{1, 1, 1, 0}));
  for (uint32_t even : {Case::kProgram, Case::kMain, Case::kSend, Case::kParallel}) {
    EXPECT_FALSE(p.values[p.FindMetric("imbalance")].Has(even)) << even;
  }
}

TEST(Imbalance, KnownNumbers) {
  Case c;
  AddImbalance(&c.p);
  ExpectKnownNumbers(c.p);
}

TEST(Imbalance, WhoComesSometimesDoesNotBypass) {
  Case c;
  c.p.values[c.p.FindMetric("visits")].Set(Case::kOnce, 0, uint64_t{1});  // it came, but took no time
  AddImbalance(&c.p);
  EXPECT_EQ(Cells(c.p, "imbalance_below", Case::kOnce), (Row{1, 1, 1, 0}));
  EXPECT_EQ(Cells(c.p, "imbalance_below_bypass", Case::kOnce), (Row{0, 1, 1, 0}));
  EXPECT_EQ(Cells(c.p, "imbalance_above_single", Case::kOnce), (Row{0, 0, 0, 0}));
}

TEST(Imbalance, IsATreeWhoseParentsIncludeTheirChildren) {
  Case c;
  AddImbalance(&c.p);
  const std::map<std::string, std::string> parents = {{"imbalance_above", "imbalance"},
                                                      {"imbalance_above_single", "imbalance_above"},
                                                      {"imbalance_below", "imbalance"},
                                                      {"imbalance_below_bypass", "imbalance_below"},
                                                      {"imbalance_below_singularity", "imbalance_below_bypass"}};
  for (const auto& [child, parent] : parents) {
    const uint32_t m = c.p.FindMetric(child), above = c.p.FindMetric(parent);
    ASSERT_NE(m, kNone) << child;
    EXPECT_EQ(c.p.metrics[m].parent, above) << child;
    for (uint32_t path = 0; path < c.p.call_paths.size(); ++path) {
      for (uint32_t l = 0; l < 4; ++l) EXPECT_LE(c.p.values[m].Real(path, l), c.p.values[above].Real(path, l));
    }
    EXPECT_TRUE(IsTreeMetric(child) && IsDerivedMetric(child)) << child;
  }
}

TEST(Imbalance, OneThreadHasNone) {
  Case c;
  c.p.processes.resize(1);
  c.p.locations.resize(1);
  AddImbalance(&c.p);
  EXPECT_EQ(c.p.FindMetric("imbalance"), kNone);
}

// Row by row after all other metrics, as a job writes it.
TEST(Imbalance, RowsOfAJob) {
  Case c;
  const std::string folder = testing::TempDir(), path = folder + "/imbalance.cubex";
  Profile definitions = c.p;
  definitions.values.clear();
  ImbalanceRows rows;
  ASSERT_TRUE(rows.Open(folder, &definitions));
  CubexWriter writer;
  ASSERT_TRUE(writer.Open(path) && writer.Begin(definitions, {})) << writer.error();
  for (uint32_t m = 0; m < c.p.metrics.size(); ++m) {
    std::vector<bool> used(c.p.call_paths.size());
    for (uint32_t p = 0; p < used.size(); ++p) used[p] = c.p.values[m].Has(p);
    ASSERT_TRUE(writer.BeginMetric(m, used));
    for (const uint32_t p : writer.rows()) {
      ASSERT_TRUE(writer.AppendRow(c.p.values[m].Row(p)) && rows.Take(m, p, c.p.values[m].Row(p)));
    }
    ASSERT_TRUE(writer.EndMetric());
  }
  ASSERT_TRUE(rows.Write(&writer) && writer.Finish()) << writer.error();
  Profile read;
  std::string error;
  ASSERT_TRUE(ReadCubex(path, &read, &error)) << error;
  ExpectKnownNumbers(read);
}

}  // namespace
}  // namespace epik::archive
