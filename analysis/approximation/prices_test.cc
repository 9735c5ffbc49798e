// SPDX-License-Identifier: BSD-3-Clause
// Checks the price of a visit, by the archive alone and by the prices of `epk calibrate`.
#include "analysis/approximation/prices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace epik::approximation {
namespace {

using archive::kNone;

// main calls MPI_Send and a barrier of OpenMP.
archive::Profile Sample() {
  archive::Profile profile;
  profile.regions.resize(3);
  profile.regions[0].name = "main";
  profile.regions[0].paradigm = "compiler";
  profile.regions[1].name = "MPI_Send";
  profile.regions[1].paradigm = "mpi";
  profile.regions[2].name = "barrier @a.c:1";
  profile.regions[2].paradigm = "openmp";
  profile.call_paths = {{0, kNone}, {1, 0}, {2, 0}};
  profile.locations.resize(1);
  return profile;
}

archive::Manifest Stated() {
  archive::Manifest manifest;
  manifest.pair_cost_ns = 20;
  return manifest;
}

archive::Calibration Costs() {
  archive::Calibration costs;
  costs.there = true;
  costs.prices = {{"function", "summary", 20, 60, 30, 80}, {"function", "both", 30, -1, -1, -1},
                  {"function", "sampled", 5, -1, -1, -1},  {"mpi", "summary", 60, -1, -1, -1},
                  {"mpi", "both", 120, -1, -1, -1},        {"openmp", "summary", 10, -1, -1, -1}};
  return costs;
}

TEST(Prices, AreThoseOfTheRunAlone) {
  const Prices prices(Sample(), Stated());
  EXPECT_FALSE(prices.IsCalibrated());
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kEstimate, false), 20);
  EXPECT_DOUBLE_EQ(prices.Of(1, Bound::kEstimate, false), 26);
  EXPECT_DOUBLE_EQ(prices.Of(2, Bound::kEstimate, false), 17);
  EXPECT_NEAR(prices.Of(0, Bound::kEstimate, true), 24, 1e-9);
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kLower, false), 22);
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kUpper, false), 18);
  EXPECT_EQ(prices.OfUntimed(Bound::kEstimate), 0);
}

TEST(Prices, TakeRatiosFromACalibration) {
  archive::Manifest manifest = Stated();
  manifest.costs = Costs();
  const Prices prices(Sample(), manifest);
  EXPECT_TRUE(prices.IsCalibrated());
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kEstimate, false), 20);  // the run knows this price
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kEstimate, true), 30);
  EXPECT_DOUBLE_EQ(prices.Of(1, Bound::kEstimate, false), 60);
  EXPECT_DOUBLE_EQ(prices.Of(1, Bound::kEstimate, true), 120);
  // A critical section, which is two visits of 0.88 pairs, takes 10 ns; a barrier 0.85 pairs.
  EXPECT_DOUBLE_EQ(prices.Of(2, Bound::kEstimate, false), 10 * 0.85 / 1.76);
  EXPECT_DOUBLE_EQ(prices.OfUntimed(Bound::kEstimate), 5);
}

TEST(Prices, DependOnTheRuntimeOfOpenMp) {
  archive::Manifest manifest = Stated();
  manifest.modules = {{"/usr/lib/libomp.so.5", ""}};
  EXPECT_DOUBLE_EQ(Prices(Sample(), manifest).Of(2, Bound::kEstimate, false), 39);
}

// A busy neighbour makes a visit half as expensive again, so the price may be off by a fifth. It never falls below the
// price of a quiet machine, unless the run itself states a lower one.
TEST(Prices, VaryAsTheCalibrationSays) {
  archive::Manifest manifest = Stated();
  manifest.costs = Costs();
  manifest.pair_cost_ns = 40;
  const Prices prices(Sample(), manifest);
  EXPECT_DOUBLE_EQ(prices.spread(), 0.2);
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kLower, false), 48);
  EXPECT_DOUBLE_EQ(prices.Of(0, Bound::kUpper, false), 32);
  manifest.pair_cost_ns = 22;
  EXPECT_NEAR(Prices(Sample(), manifest).Of(0, Bound::kUpper, false), 19.8, 1e-9);  // not 17.6
  manifest.pair_cost_ns = 75;
  EXPECT_NEAR(Prices(Sample(), manifest).Of(0, Bound::kLower, false), 82.5, 1e-9);  // not 90
}

// A tiny function is called a million times, and one that works for a microsecond as often.
TEST(Prices, FallForFunctionsThatWork) {
  archive::Profile profile = Sample();
  profile.regions[1].name = "tiny";
  profile.regions[2].name = "work";
  profile.regions[1].paradigm = profile.regions[2].paradigm = "compiler";
  archive::Metric time, visits;
  time.unique_name = "time";
  visits.unique_name = "visits";
  const uint32_t t = profile.AddMetric(time), v = profile.AddMetric(visits);
  const double seconds[] = {1e-3, 0.009, 1}, counts[] = {1, 1e6, 1e6};
  for (uint32_t path = 0; path < 3; ++path) {
    profile.values[t].Set(path, 0, seconds[path]);
    profile.values[v].Set(path, 0, counts[path]);
  }
  archive::Manifest manifest;
  manifest.pair_alone_ns = 18;
  manifest.pair_behind_least_ns = 1;
  manifest.pair_behind_most_ns = 3;
  manifest.cost_seconds = manifest.cost_by_prices_seconds = 0.0196;
  const Prices prices(profile, manifest);
  EXPECT_NEAR(prices.Of(1, Bound::kEstimate, false), 18, 0.5);
  EXPECT_NEAR(prices.Of(2, Bound::kEstimate, false), 1.6, 0.2);
  EXPECT_LT(prices.Of(1, Bound::kUpper, false), 1.1) << "the clock may hide what it does";
  EXPECT_LT(prices.Of(2, Bound::kLower, false), 4);
  EXPECT_NEAR(prices.pair_ns(), 9.8, 0.1) << "the mean is what the run stated";
}

// Visits that were only counted, or were dropped, have prices of their own, and threads pay for their own visits.
TEST(Prices, ShareOutWhatTheRunStates) {
  archive::Profile profile = Sample();
  profile.regions[1].name = "tiny";
  profile.regions[1].paradigm = "compiler";
  profile.locations.resize(2);
  const auto add = [&profile](const char* name, double first, double second) {
    archive::Metric metric;
    metric.unique_name = name;
    const uint32_t m = profile.AddMetric(metric);
    profile.values[m].Set(1, 0, first);
    profile.values[m].Set(1, 1, second);
  };
  add("visits", 1000, 1'000'010);
  add("untimed_visits", 0, 1'000'000);
  add("dropped_calls", 200, 0);
  archive::Manifest manifest = Stated();
  manifest.hot.untimed_cost_ns = 5;
  const double timed = 1010 * 30e-9, counted = 1'000'200 * 5e-9;
  manifest.cost_seconds = manifest.cost_by_prices_seconds = timed + counted;
  for (const bool is_calibrated : {false, true}) {
    if (is_calibrated) manifest.costs = Costs();
    const Prices prices(profile, manifest);
    const ProfileCost cost = CostOf(profile, prices, Bound::kEstimate);
    EXPECT_NEAR(cost.by_location[0], 1000 * 30e-9 + 200 * 5e-9, 1e-12);
    EXPECT_NEAR(cost.by_location[1], 10 * 30e-9 + 1'000'000 * 5e-9, 1e-12);
    EXPECT_NEAR(cost.by_path[1], timed + counted, 1e-12);
    const ProfileCost most = CostOf(profile, prices, Bound::kLower);
    EXPECT_GE(most.by_location[1], 1.1 * cost.by_location[1]);
  }
}

TEST(Prices, AreWhatTheRunMeasured) {
  archive::Profile profile = Sample();
  profile.regions[1].name = "tiny";
  profile.regions[1].paradigm = "compiler";
  const auto add = [&profile](const char* name, double value) {
    archive::Metric metric;
    metric.unique_name = name;
    profile.values[profile.AddMetric(metric)].Set(1, 0, value);
  };
  add("visits", 1000);
  add("probed_visits", 900);
  add("probed_cost", 900 * 12e-9);
  add("probed_cost_error", 900 * 1e-9);
  archive::Manifest manifest = Stated();
  manifest.cost_seconds = manifest.cost_by_prices_seconds = 12.03e-6;  // 30 ns are those of the other visits
  const Prices prices(profile, manifest);
  EXPECT_NEAR(prices.Of(1, Bound::kEstimate, false), 12, 1e-6);
  EXPECT_NEAR(prices.Of(1, Bound::kLower, false), 13, 1e-6);
  EXPECT_NEAR(prices.Of(1, Bound::kUpper, false), 11, 1e-6);
  EXPECT_NEAR(prices.Of(1, Bound::kEstimate, true), 12 * 1.2, 1e-6);
  EXPECT_NEAR(prices.pair_ns(), 12, 0.1);
  // Damaged archives may have such values.
  for (const double forged : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    archive::Profile other = profile;
    other.values[other.FindMetric("probed_cost")].Set(1, 0, forged);
    const Prices found(other, manifest);
    EXPECT_GE(found.Of(1, Bound::kUpper, false), 0) << forged;
    EXPECT_FALSE(std::isnan(found.Of(1, Bound::kLower, true))) << forged;
  }
}

TEST(Prices, StandForgedFiles) {
  archive::Manifest manifest = Stated();
  manifest.costs.there = true;
  EXPECT_FALSE(Prices(Sample(), manifest).IsCalibrated());
  manifest.costs.prices = {{"function", "summary", 1e-9, 1e7, 1e7, 0}, {"mpi", "summary", 1e7, 0, 0, 0}};
  const Prices prices(Sample(), manifest);
  for (const Bound bound : {Bound::kLower, Bound::kEstimate, Bound::kUpper}) {
    EXPECT_GE(prices.Of(1, bound, true), 0);
    EXPECT_LE(prices.Of(1, bound, true), 1e6);
  }
}

}  // namespace
}  // namespace epik::approximation
