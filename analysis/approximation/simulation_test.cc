// SPDX-License-Identifier: BSD-3-Clause
// Simulates random programs, so that the time without measuring is known. If the assumptions of a model hold, each
// point gets exactly its true time; otherwise the run is between the bounds.
#include "analysis/approximation/simulation.h"

#include <gtest/gtest.h>

#include <cstring>

#include "analysis/approximation/forward.h"
#include "analysis/approximation/measurement.h"

namespace epik::approximation {
namespace {

bool is_long = false;  // --long: 10 000 programs of each kind

uint32_t Programs() { return is_long ? 10000 : 300; }

constexpr int64_t kAlpha = 200;
// Times are whole nanoseconds; the copy of a message takes the usual time for its size.
constexpr double kRounding = 0.5;

Times Without(const Simulation& run, const Prices& prices, const Rules& rules) {
  const WithoutMeasurement change(&prices, rules.bound, archive::Profile(), nullptr);
  return Forward(run.graph(), run.leaders(), Transfers(run.graph()), change, rules);
}

// Checks, without the code of the forward pass, that no time is negative and that nothing ends before its partner
// began.
void ExpectInOrder(const graph::Graph& graph, const Times& times) {
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    double now = -1e300;
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const Moment& moment = times.points[l][p];
      ASSERT_GE(moment.begin, now) << l << "." << p;
      ASSERT_GE(moment.end, moment.begin) << l << "." << p;
      now = moment.end;
      graph.ForEachEdge(graph.At({l, p}), [&](const graph::Edge& edge) {
        if (!edge.partner.IsKnown()) return;
        ASSERT_GE(moment.end, times.At(edge.partner).begin) << l << "." << p;
      });
    }
  }
}

void ExpectSame(const Times& left, const Times& right, uint32_t seed) {
  for (size_t l = 0; l < left.points.size(); ++l) {
    ASSERT_EQ(left.points[l].size(), right.points[l].size()) << "seed " << seed;
    for (size_t p = 0; p < left.points[l].size(); ++p) {
      ASSERT_NEAR(left.points[l][p].begin, right.points[l][p].begin, kRounding)
          << "seed " << seed << " " << l << "." << p;
      ASSERT_NEAR(left.points[l][p].end, right.points[l][p].end, kRounding) << "seed " << seed << " " << l << "." << p;
    }
  }
}

constexpr Mix kAll = {.meetings = 2,
                      .synchronous = 2,
                      .eager = 4,
                      .broadcasts = 1,
                      .reductions = 1,
                      .scans = 1,
                      .neighbours = 1,
                      .fences = 1,
                      .epochs = 1,
                      .windows = 1,
                      .parallel = 2,
                      .locks = 1,
                      .pipelines = 1,
                      .sparse = 1};

TEST(Simulation, NothingRemovedIsWhatWasMeasured) {
  for (uint32_t seed = 0; seed < Programs(); ++seed) {
    const Simulation measured(seed, kAll, kAlpha);
    ExpectSame(Without(measured, Prices::Same(0, Simulation::kPaths), Rules()), Measured(measured.graph()), seed);
    if (HasFatalFailure()) return;
  }
}

// Assumptions of the models of 1991 and of n-to-n, n-to-1 and scan: the time after all members are there stays.
TEST(Simulation, EqualsTheTruthWhereAssumptionsHold) {
  const Mix exact[] = {
      {.meetings = 1},
      {.synchronous = 1},
      {.parallel = 1},
      {.locks = 1},
      {.pipelines = 1},
      {.reductions = 1, .scans = 1},
      {.neighbours = 1},
      {.sparse = 1},
      {.fences = 1},
      {.epochs = 1},
      {.windows = 1},
      {.neighbours = 1, .fences = 1, .epochs = 4, .windows = 1},
      {.meetings = 1, .synchronous = 2, .reductions = 1, .scans = 1, .parallel = 2, .locks = 1, .pipelines = 1}};
  for (const Mix& mix : exact) {
    for (uint32_t seed = 0; seed < Programs(); ++seed) {
      const Simulation measured(seed, mix, kAlpha), bare(seed, mix, 0);
      const Prices prices = Prices::Same(kAlpha, Simulation::kPaths);
      for (const Bound bound : {Bound::kLower, Bound::kEstimate, Bound::kUpper}) {
        Rules rules;
        rules.bound = bound;
        ExpectSame(Without(measured, prices, rules), Measured(bare.graph()), seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// `widest`: the largest distance of the bounds, as a share of the run. Bounds that are far apart would be easy to keep.
void ExpectBetweenBounds(const Mix& mix, double noise, double widest) {
  uint32_t inside = 0;
  double width = 0;
  for (uint32_t seed = 0; seed < Programs(); ++seed) {
    const Simulation measured(seed, mix, kAlpha, 4, 3, noise), bare(seed, mix, 0);
    const Prices prices = Prices::Same(kAlpha, Simulation::kPaths, noise);
    Rules rules;
    rules.bound = Bound::kLower;
    const Times lower = Without(measured, prices, rules);
    rules.bound = Bound::kUpper;
    const Times upper = Without(measured, prices, rules);
    ExpectInOrder(measured.graph(), lower);
    ExpectInOrder(measured.graph(), upper);
    if (::testing::Test::HasFatalFailure()) return;
    const double truth = Measured(bare.graph()).Lasted();
    inside += lower.Lasted() <= truth + kRounding && truth <= upper.Lasted() + kRounding ? 1 : 0;
    width += (upper.Lasted() - lower.Lasted()) / truth;
  }
  EXPECT_GE(inside, 0.99 * Programs());
  EXPECT_LT(width / Programs(), widest);
}

TEST(Simulation, LiesBetweenTheBounds) { ExpectBetweenBounds(kAll, 0, 0.15); }
TEST(Simulation, LiesBetweenTheBoundsOfMessages) { ExpectBetweenBounds({.eager = 1}, 0, 0.1); }
TEST(Simulation, LiesBetweenTheBoundsOfBroadcasts) { ExpectBetweenBounds({.eager = 1, .broadcasts = 1}, 0, 0.4); }
TEST(Simulation, LiesBetweenTheBoundsOfPartners) {
  ExpectBetweenBounds({.meetings = 2, .eager = 4, .neighbours = 1, .epochs = 2, .windows = 1}, 0, 0.1);
}
TEST(Simulation, LiesBetweenTheBoundsWhenCostsVary) { ExpectBetweenBounds(kAll, 0.2, 0.25); }

TEST(Simulation, TimeModelRemovesTheCostOfEachThread) {
  const Simulation measured(1, {.parallel = 1}, kAlpha), bare(1, {.parallel = 1}, 0);
  Rules rules;
  rules.model = Model::kTime;
  ExpectSame(Without(measured, Prices::Same(kAlpha, Simulation::kPaths), rules), Measured(bare.graph()), 1);
}

// With prices that are too high there is too little time to take off: no time becomes negative, and the order stays.
TEST(Simulation, PricesThatAreTooHighDoNoHarm) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Simulation measured(seed, kAll, kAlpha);
    for (const double price : {1e3, 1e6, 1e12}) {
      const Times times = Without(measured, Prices::Same(price, Simulation::kPaths), Rules());
      ExpectInOrder(measured.graph(), times);
      EXPECT_GE(times.Lasted(), 0);
    }
  }
}

// Two points that wait for each other: the trace contradicts itself.
TEST(Forward, EndsWhereDependencesGoInACircle) {
  graph::Graph graph(2);
  for (uint32_t l = 0; l < 2; ++l) {
    graph::Point idle, call, end;
    idle.kind = graph::PointKind::kIdle;
    call.begin = 10;
    call.end = end.begin = end.end = 20;
    graph.AddPoint(l, idle, {});
    graph.AddPoint(l, call, {});
    end.kind = graph::PointKind::kEnd;
    graph.AddPoint(l, end, {});
  }
  for (uint32_t l = 0; l < 2; ++l) {
    graph::Edge edge;
    edge.kind = graph::EdgeKind::kLock;  // until the other point is over
    edge.partner = {1 - l, 1};
    graph.AddEdge({l, 1}, edge);
  }
  const Times times = Forward(graph, {0, 1}, Transfers(graph), Change(), Rules());
  EXPECT_GT(times.forced, 0u);
  EXPECT_EQ(times.Lasted(), 20);
}

}  // namespace
}  // namespace epik::approximation

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  epik::approximation::is_long = argc > 1 && std::strcmp(argv[1], "--long") == 0;
  return RUN_ALL_TESTS();
}
