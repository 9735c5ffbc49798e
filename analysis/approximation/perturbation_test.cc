// SPDX-License-Identifier: BSD-3-Clause
// Tells where the time of measuring went, for small profiles that can be computed by hand.
#include "analysis/approximation/perturbation.h"

#include <gtest/gtest.h>

#include <vector>

namespace epik::approximation {
namespace {

// main calls work a million times and MPI_Barrier once. `times`: of these three, in this order; without `work`, the
// call path is left out.
archive::Profile Make(const std::vector<double>& times, bool has_work = true) {
  archive::Profile p;
  for (const char* name : {"main", "MPI_Barrier", "work"}) {
    p.regions.emplace_back();
    p.regions.back().name = name;
  }
  p.regions[1].paradigm = "mpi";
  p.regions[1].role = "barrier";
  p.call_paths = {{0, archive::kNone}, {1, 0}};
  if (has_work) p.call_paths.push_back({2, 0});
  p.hosts.resize(1);
  p.processes.resize(1);
  p.locations.resize(1);
  const uint32_t visits = p.AddMetric({"visits", "Visits", "occ", "", archive::Type::kUint64});
  const uint32_t time = p.AddMetric({"time", "Time", "sec", "", archive::Type::kDouble});
  const uint64_t counts[] = {1, 1, 1000000};
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    p.values[visits].Set(path, 0, counts[path]);
    p.values[time].Set(path, 0, times[path]);
  }
  return p;
}

TEST(Perturbation, WaitingIsInducedAndTheRestIsDirect) {
  const archive::Profile measured = Make({0.11, 0.05, 0.06}), without = Make({0.1, 0.02, 0.05});
  const Perturbation found = PerturbationOf(measured, measured, without, Prices::Same(20, 3), Bound::kEstimate);
  EXPECT_NEAR(found.direct, 0.02, 1e-6);
  EXPECT_NEAR(found.induced, 0.03, 1e-6);
  EXPECT_NEAR(found.measured, 0.22, 1e-9);
  ASSERT_EQ(found.paths.size(), 3u);
  EXPECT_EQ(found.paths[0].path, 1u);  // lost most
  EXPECT_NEAR(found.paths[0].induced, 0.03, 1e-6);
  for (const PathPerturbation& one : found.paths) {
    EXPECT_NEAR(one.measured - one.approximated, one.direct + one.induced, 1e-12);
  }
}

// A trace of EPK_TRACE=comm does not have the call path, so its time is its caller's.
TEST(Perturbation, WhatTheApproximationLacksCountsWithItsCaller) {
  const archive::Profile measured = Make({0.11, 0.05, 0.06}), without = Make({0.15, 0.05}, false);
  const Perturbation found = PerturbationOf(measured, measured, without, Prices::Same(20, 3), Bound::kEstimate);
  ASSERT_EQ(found.paths.size(), 1u);
  EXPECT_EQ(found.paths[0].path, 0u);
  EXPECT_NEAR(found.paths[0].measured, 0.17, 1e-9);
  EXPECT_NEAR(found.direct, 0.02, 1e-9);
  EXPECT_EQ(found.induced, 0);
}

TEST(Perturbation, OfTheSameIsNothing) {
  const archive::Profile measured = Make({0.11, 0.05, 0.06});
  const Perturbation found = PerturbationOf(measured, measured, measured, Prices::Same(20, 3), Bound::kLower);
  EXPECT_TRUE(found.paths.empty());
  EXPECT_EQ(found.direct + found.induced, 0);
}

}  // namespace
}  // namespace epik::approximation
