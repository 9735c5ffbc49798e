// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/metric_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace epik::archive {
namespace {

// program > main > {MPI_Send, MPI_Barrier, parallel > {work, implicit barrier}} on two threads; the second has values
// only below `parallel`.
struct Case {
  Case() {
    p.processes.push_back({0, 0, "rank 0"});
    p.locations = {{0, 0, "0"}, {0, 1, "1"}};
    Add(kNone, "program", "measurement", "artificial");
    Add(0, "main", "compiler", "function");
    Add(1, "MPI_Send", "mpi", "function");
    Add(1, "MPI_Barrier", "mpi", "function");
    Add(1, "parallel @x.c:1", "openmp", "parallel");
    Add(4, "work", "compiler", "function");
    Add(4, "barrier @x.c:1", "openmp", "implicit barrier");
    Measure("visits", Type::kUint64, Along::kExclusive, {1, 1, 3, 2, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1});
    Measure("time", Type::kDouble, Along::kInclusive, {16, 15, 4, 2, 8, 5, 2}, {0, 0, 0, 0, 7, 3, 4});
  }

  void Add(uint32_t parent, const char* name, const char* paradigm, const char* role) {
    Region region;
    region.name = region.mangled = name;
    region.paradigm = paradigm;
    region.role = role;
    p.regions.push_back(region);
    p.call_paths.push_back({static_cast<uint32_t>(p.regions.size() - 1), parent});
  }

  uint32_t Measure(const char* name, Type type, Along along, std::vector<double> master, std::vector<double> worker) {
    const uint32_t m = p.AddMetric({name, name, "", "", type, along, kNone});
    for (uint32_t path = 0; path < master.size(); ++path) {
      const auto set = [&](uint32_t l, double value) {
        if (value == 0) return;
        if (type == Type::kUint64) {
          p.values[m].Set(path, l, static_cast<uint64_t>(value));
        } else {
          p.values[m].Set(path, l, value);
        }
      };
      set(0, master[path]);
      set(1, worker[path]);
    }
    return m;
  }

  double Sum(const char* metric) const {
    const uint32_t m = p.FindMetric(metric);
    if (m == kNone) return -1;
    double sum = 0;
    for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
      for (uint32_t l = 0; l < 2; ++l) sum += p.values[m].Real(path, l);
    }
    return sum;
  }

  Profile p;
};

TEST(MetricTree, TimeIsExclusiveAndSumsUp) {
  Case c;
  ShapeMetrics(&c.p);
  const uint32_t time = c.p.FindMetric("time");
  EXPECT_EQ(c.p.metrics[time].along, Along::kExclusive);
  const std::vector<double> master = {1, 1, 4, 2, 1, 5, 2}, worker = {0, 0, 0, 0, 0, 3, 4};
  EXPECT_EQ(c.p.Exclusive(time, 0), master);
  EXPECT_EQ(c.p.Exclusive(time, 1), worker);
  EXPECT_EQ(c.Sum("time"), 16 + 7);  // the total of the two locations
  EXPECT_EQ(c.p.Inclusive(time, 0)[1], 15);
}

TEST(MetricTree, KindsOfTime) {
  Case c;
  ShapeMetrics(&c.p);
  EXPECT_EQ(c.Sum("comp"), 1 + 1 + 1 + 5 + 3);
  EXPECT_EQ(c.Sum("mpi_point2point"), 4);
  EXPECT_EQ(c.Sum("mpi_sync_collective"), 2);
  EXPECT_EQ(c.Sum("mpi"), 6);
  EXPECT_EQ(c.Sum("omp_ibarrier"), 6);
  EXPECT_EQ(c.Sum("omp_time"), 6);
  EXPECT_EQ(c.Sum("execution"), c.Sum("time"));
  EXPECT_EQ(c.Sum("syncs"), 2);
  EXPECT_EQ(c.Sum("syncs_coll"), 2);
  for (const char* empty : {"mpi_io", "mpi_collective", "omp_management", "overhead", "bytes", "comms"}) {
    EXPECT_EQ(c.p.FindMetric(empty), kNone) << empty;
  }
}

TEST(MetricTree, StoredValuesIncludeThoseOfChildMetrics) {
  Case c;
  c.Measure("bytes_sent_p2p", Type::kUint64, Along::kExclusive, {0, 0, 300}, {0, 0, 0});
  c.Measure("bytes_get", Type::kUint64, Along::kExclusive, {0, 0, 0, 7}, {0, 0, 5, 0});
  c.Measure("msgs_sent", Type::kUint64, Along::kExclusive, {0, 0, 3}, {0, 0, 0});
  ShapeMetrics(&c.p);
  EXPECT_EQ(c.Sum("bytes"), 312);
  EXPECT_EQ(c.Sum("bytes_p2p"), 300);
  EXPECT_EQ(c.Sum("bytes_rma"), 12);
  EXPECT_EQ(c.Sum("comms"), 3);
  EXPECT_EQ(c.p.FindMetric("bytes_coll"), kNone);
  // For each call path and location, a metric has at least as much as its children.
  for (uint32_t path = 0; path < c.p.call_paths.size(); ++path) {
    for (uint32_t l = 0; l < 2; ++l) {
      std::map<uint32_t, double> children;
      for (uint32_t m = 0; m < c.p.metrics.size(); ++m) {
        const uint32_t parent = c.p.metrics[m].parent;
        if (parent == kNone) continue;
        EXPECT_LT(parent, m);
        children[parent] += c.p.values[m].Real(path, l);
      }
      for (const auto& [m, sum] : children) {
        EXPECT_GE(c.p.values[m].Real(path, l), sum) << c.p.metrics[m].unique_name;
      }
    }
  }
}

TEST(MetricTree, ASerialProgramHasFewMetrics) {
  Case c;
  c.p.call_paths.resize(2);
  c.p.regions.resize(2);
  c.p.metrics.clear();
  c.p.values.clear();
  c.Measure("visits", Type::kUint64, Along::kExclusive, {1, 1}, {0, 0});
  c.Measure("time", Type::kDouble, Along::kInclusive, {3, 2}, {0, 0});
  ShapeMetrics(&c.p);
  std::set<std::string> names;
  for (const Metric& m : c.p.metrics) names.insert(m.unique_name);
  EXPECT_EQ(names, (std::set<std::string>{"time", "execution", "comp", "visits"}));
}

TEST(MetricTree, MetricsOfTheProgramStay) {
  Case c;
  c.Measure("residual", Type::kDouble, Along::kExclusive, {0, 2.5}, {0, 0});
  c.Measure("comp", Type::kDouble, Along::kExclusive, {0, 9}, {0, 0});  // the program calls one of its own metrics so
  c.Measure("comp (user)", Type::kDouble, Along::kExclusive, {0, 4}, {0, 0});
  c.Measure("shortest", Type::kMin, Along::kExclusive, {1, 2}, {3, 4});
  ShapeMetrics(&c.p);
  EXPECT_EQ(c.Sum("residual"), 2.5);
  EXPECT_EQ(c.Sum("comp (user) (user)"), 9);
  EXPECT_EQ(c.Sum("comp (user)"), 4);
  EXPECT_EQ(c.Sum("comp"), 11);
  const uint32_t shortest = c.p.FindMetric("shortest");
  EXPECT_EQ(c.p.metrics[shortest].type, Type::kMin);
  EXPECT_FALSE(c.p.values[shortest].Has(2));
}

TEST(MetricTree, ShapingTwiceIsShapingOnce) {
  Case once;
  ShapeMetrics(&once.p);
  Case twice;
  ShapeMetrics(&twice.p);
  ShapeMetrics(&twice.p);
  ASSERT_EQ(once.p.metrics, twice.p.metrics);
  for (const Metric& m : once.p.metrics) {
    EXPECT_EQ(once.Sum(m.unique_name.c_str()), twice.Sum(m.unique_name.c_str())) << m.unique_name;
  }
  Profile without;
  ShapeMetrics(&without);
  EXPECT_TRUE(without.metrics.empty());
}

// Counters of two threads at `work`: their descriptions make them parts of each other.
uint32_t Count(Case* c, const char* name, const char* text, uint64_t master, uint64_t worker) {
  const uint32_t m = c->p.AddMetric({name, name, "occ", text, Type::kUint64, Along::kExclusive, kNone});
  if (master != 0) c->p.values[m].Set(5, 0, master);
  if (worker != 0) c->p.values[m].Set(5, 1, worker);
  return m;
}

std::string WholeOf(const Profile& p, const char* name) {
  const uint32_t parent = p.metrics[p.FindMetric(name)].parent;
  return parent == kNone ? "" : p.metrics[parent].unique_name;
}

TEST(MetricTree, CountersHangBelowWhatTheyArePartsOf) {
  Case c;
  Count(&c, "LOAD", "loads; part of MEMORY; read in 9 ns", 30, 3);
  Count(&c, "STORE", "stores; part of MEMORY", 10, 1);
  Count(&c, "BRANCH", "branches; part of INSTRUCTION", 20, 2);
  Count(&c, "INSTRUCTION", "instructions", 100, 10);
  Count(&c, "MEMORY", "computed: LOAD + STORE; part of INSTRUCTION", 0, 0);
  ShapeMetrics(&c.p);
  EXPECT_EQ(WholeOf(c.p, "LOAD"), "MEMORY");
  EXPECT_EQ(WholeOf(c.p, "STORE"), "MEMORY");
  EXPECT_EQ(WholeOf(c.p, "MEMORY"), "INSTRUCTION");
  EXPECT_EQ(WholeOf(c.p, "BRANCH"), "INSTRUCTION");
  EXPECT_EQ(WholeOf(c.p, "INSTRUCTION"), "");
  EXPECT_EQ(c.Sum("MEMORY"), 44);
  EXPECT_EQ(c.Sum("INSTRUCTION"), 110);
  const Metric& memory = c.p.metrics[c.p.FindMetric("MEMORY")];
  EXPECT_EQ(memory.unit, "occ");
  EXPECT_EQ(memory.description, "the sum of its parts; part of INSTRUCTION");
  for (uint32_t m = 0; m < c.p.metrics.size(); ++m) {
    EXPECT_TRUE(c.p.metrics[m].parent == kNone || c.p.metrics[m].parent < m) << c.p.metrics[m].unique_name;
  }
}

TEST(MetricTree, CountersThatDoNotGoTogetherStandForThemselves) {
  Case c;
  Count(&c, "HERE", "one; part of BOTH", 1, 1);
  Count(&c, "THERE", "n/a on ranks 0: why; other; part of BOTH", 0, 2);
  Count(&c, "BOTH", "computed: HERE + THERE", 0, 0);
  Count(&c, "A", "a; part of B", 1, 1);
  Count(&c, "B", "b; part of A", 2, 2);
  Count(&c, "SELF", "s; part of SELF", 3, 3);
  Count(&c, "LOST", "l; part of NOBODY", 4, 4);
  Count(&c, "SECONDS", "n/a: no clock; part of LOST", 0, 0);
  ShapeMetrics(&c.p);
  for (const char* name : {"HERE", "THERE", "BOTH", "SELF", "LOST", "SECONDS"})
    EXPECT_EQ(WholeOf(c.p, name), "") << name;
  EXPECT_NE(WholeOf(c.p, "A").empty(), WholeOf(c.p, "B").empty()) << "a circle has no top";
  EXPECT_EQ(c.p.metrics[c.p.FindMetric("BOTH")].description, "computed: HERE + THERE");
  EXPECT_EQ(c.Sum("A") + c.Sum("B") + c.Sum("SELF") + c.Sum("LOST"), 20);
}

}  // namespace
}  // namespace epik::archive
