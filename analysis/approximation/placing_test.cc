// SPDX-License-Identifier: BSD-3-Clause
// Functions that the trace lacks get their places between its points.
#include "analysis/approximation/placing.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "analysis/approximation/unlogged.h"
#include "analysis/approximation/whole_calls.h"
#include "analysis/graph/test_graph.h"

namespace epik::approximation {
namespace {

using archive::kNone;
using archive::Profile;
using replay::Script;

// A function that the call path 0 called, and the trace lacks.
struct Lacked {
  double visits, ns, shortest;
};

// The trace of one thread, its call path 0 has all time but that of points, and the functions come after its own call
// paths.
class Traced {
 public:
  Traced(const std::string& script, uint32_t logged_paths, const std::vector<Lacked>& functions) : script_(1) {
    script_.Add(script);
    made_ = graph::Make(&script_);
    profile_.locations.resize(1);
    std::vector<Lacked> rows(logged_paths, Lacked{1, 0, 0});
    rows.insert(rows.end(), functions.begin(), functions.end());
    for (uint32_t path = 0; path < rows.size(); ++path) {
      profile_.call_paths.push_back({path, path == 0 ? kNone : 0});
      profile_.regions.emplace_back().name = "f" + std::to_string(path);
    }
    for (const char* name : {"time", "visits", "min_time"}) {
      archive::Metric metric;
      metric.unique_name = name;
      profile_.AddMetric(metric);
    }
    for (uint32_t path = 0; path < rows.size(); ++path) {
      profile_.values[0].Set(path, 0, rows[path].ns * 1e-9);
      profile_.values[1].Set(path, 0, rows[path].visits);
      profile_.values[2].Set(path, 0, rows[path].shortest * 1e-9);
    }
    unlogged_ = std::make_unique<Unlogged>(*made_.graph, &profile_, std::vector<uint32_t>{0});
    unlogged_->Place(*made_.graph);
  }

  // Nanoseconds of call path `path` in the segment before the n-th point.
  double Of(uint32_t path, uint32_t point) const {
    const Densities densities = unlogged_->Spread([&](uint32_t one, uint32_t column, double, double) {
      return one == path ? profile_.values[0].Real(one, column) * 1e9 : 0;
    });
    double ns = 0;
    const graph::Place place{0, point};
    for (const graph::Cell& cell : made_.graph->Segment(made_.graph->At(place))) {
      ns += static_cast<double>(cell.ns) * densities.At(Stay{made_.graph.get(), place, cell.path, cell.ns});
    }
    return ns;
  }
  double Scattered(uint32_t path) const {
    return unlogged_
        ->Spread([&](uint32_t one, uint32_t column, double, double) {
          return one == path ? profile_.values[0].Real(one, column) * 1e9 : 0;
        })
        .scattered();
  }
  // The sum over the segments that last so long.
  double In(uint32_t path, int64_t least, int64_t most) const {
    double ns = 0;
    for (uint32_t p = 1; p < made_.graph->size(0); ++p) {
      const int64_t lasted = made_.graph->At({0, p}).begin - made_.graph->At({0, p - 1}).end;
      if (lasted >= least && lasted <= most) ns += Of(path, p);
    }
    return ns;
  }

 private:
  Script script_;
  graph::Made made_;
  Profile profile_;
  std::unique_ptr<Unlogged> unlogged_;
};

// Ten rounds: 3 µs, then 1 µs with the lock.
std::string Locks() {
  std::string script = "0: 0 > m";
  for (int round = 0; round < 10; ++round) {
    const std::string order = " 7 " + std::to_string(round + 1);
    const std::string got = std::to_string(4000 * round + 3000), freed = std::to_string(4000 * round + 4000);
    script += " | " + got + " > omp_lock_api | " + got + " lock_acquire" + order + " | " + got + " <";
    script += " | " + freed + " lock_release" + order;
  }
  return script + " | 40000 <";
}

// The long function has no room where the lock is held, so the short one is there.
TEST(Placing, AShortStayHasNoLongVisit) {
  const Traced traced(Locks(), 2, {{10, 9950, 990}, {10, 29900, 2980}});
  EXPECT_NEAR(traced.In(2, 900, 1100), 9950, 100);
  EXPECT_NEAR(traced.In(3, 2900, 3100), 29900, 1);
}

// The many short visits would fit into the stays with the lock, but then the other function would fit nowhere.
TEST(Placing, AFunctionIsInOnePlace) {
  const Traced traced(Locks(), 2, {{10, 9950, 990}, {300, 29900, 90}});
  EXPECT_NEAR(traced.In(2, 900, 1100), 9950, 1);
  EXPECT_NEAR(traced.In(3, 2900, 3100), 29900, 100);
}

// Both functions may be anywhere, and their times leave more than one possibility.
TEST(Placing, WhatIsNotKnownIsEven) {
  const Traced traced(Locks(), 2, {{100, 4950, 9}, {100, 4950, 9}});
  EXPECT_NEAR(traced.In(2, 900, 1100), 4950 * 0.25, 300);
  EXPECT_NEAR(traced.In(3, 900, 1100), 4950 * 0.25, 300);
}

// The function ran in three of ten rounds.
TEST(Placing, SomeOfManyStays) {
  const Traced traced(Locks(), 2, {{3, 2700, 890}, {10, 29900, 2980}});
  EXPECT_NEAR(traced.Scattered(2), 2700, 1);
  EXPECT_EQ(traced.Scattered(3), 0);
}

// The sum of the shares of a function is its time, also when it has more than there is room for.
TEST(Placing, NoTimeIsLost) {
  for (const double ns : {100.0, 2000.0, 28000.0, 35000.0}) {
    const Traced traced(Locks(), 2, {{10, ns, 2500}, {40, 500, 9}});
    EXPECT_NEAR(traced.In(2, 0, 1000000), ns, 1) << ns;
  }
}

// Five rounds of a loop, each ends with an operation. The first one follows the operation before the loop.
TEST(Placing, TheFirstRoundOfALoop) {
  const auto operation = [](const std::string& name, int ns) {
    const std::string at = " | " + std::to_string(ns) + " ";
    return at + "> " + name + at + "collective_begin " + name + " 0" + at + "collective_end " + name + " w -1 0 0 0" +
           at + "<";
  };
  std::string script = "0: 0 > m" + operation("MPI_Barrier", 100);
  for (int round = 1; round <= 5; ++round) script += operation("MPI_Allreduce", 100 + 3000 * round);
  const Traced traced(script + " | 15200 <", 3, {{5, 14900, 2950}});
  EXPECT_NEAR(traced.In(3, 2999, 3001), 14900, 1);
  for (uint32_t point = 1; point < 10; ++point) EXPECT_LE(traced.Of(3, point), 2981) << point;
}

std::vector<uint32_t> PlacesOf(const std::vector<std::vector<double>>& places,
                               const std::vector<std::vector<double>>& callees) {
  std::vector<WholeCalls> threads(places.size());
  for (size_t t = 0; t < threads.size(); ++t) {
    threads[t].places = places[t];
    for (const double ns : callees[t]) threads[t].callees.push_back({ns, 1, std::vector<double>(places[t].size(), 1)});
  }
  return PlacesOfCallees(threads);
}

TEST(WholeCalls, TimesThatFitInOneWay) {
  EXPECT_EQ(PlacesOf({{100, 300}}, {{299, 60, 39}}), (std::vector<uint32_t>{1, 0, 0}));
}

TEST(WholeCalls, TimesThatFitInTwoWays) {
  EXPECT_EQ(PlacesOf({{100, 100}}, {{99, 99}}), (std::vector<uint32_t>{kAnyPlace, kAnyPlace}));
}

// The function has two places in the code.
TEST(WholeCalls, TimesThatDoNotFit) {
  EXPECT_EQ(PlacesOf({{100, 100}}, {{150, 49}}), (std::vector<uint32_t>{kAnyPlace, kAnyPlace}));
}

// The caller itself worked there for longer than the function, which can be anywhere.
TEST(WholeCalls, ThePlaceOfOtherWork) { EXPECT_EQ(PlacesOf({{100, 40}}, {{30}}), (std::vector<uint32_t>{kAnyPlace})); }

// Another thread tells what one thread leaves open.
TEST(WholeCalls, ThreadsDiffer) {
  EXPECT_EQ(PlacesOf({{100, 100}, {100, 110}}, {{99, 99}, {99, 109}}), (std::vector<uint32_t>{0, 1}));
}

}  // namespace
}  // namespace epik::approximation
