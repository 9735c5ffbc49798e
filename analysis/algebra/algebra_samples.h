// SPDX-License-Identifier: BSD-3-Clause
// Profiles with numbers that can be added exactly, for the tests of this folder.
#ifndef EPIK_ANALYSIS_ALGEBRA_ALGEBRA_SAMPLES_H_
#define EPIK_ANALYSIS_ALGEBRA_ALGEBRA_SAMPLES_H_

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "analysis/algebra/combine.h"
#include "archive/cubex/test_profiles.h"

namespace epik::algebra {

inline uint64_t SmallCell(archive::Type type, uint64_t random) {
  if (type == archive::Type::kUint64) return random % 1000;
  return std::bit_cast<uint64_t>(static_cast<double>(random % 8000) / 8);
}

// Has structure of all kinds; its values are eighths.
inline archive::Profile RandomExperiment(std::mt19937_64* random) {
  archive::Profile profile = archive::RandomProfile(random);
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      if (!profile.values[m].Has(p)) continue;
      uint64_t* row = profile.values[m].MutableRow(p);
      for (size_t l = 0; l < profile.locations.size(); ++l) row[l] = SmallCell(profile.metrics[m].type, (*random)());
    }
  }
  return profile;
}

// The same program, run again: all its times and counts are new.
inline archive::Profile Again(archive::Profile profile, std::mt19937_64* random) {
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      if (!profile.values[m].Has(p)) continue;
      uint64_t* row = profile.values[m].MutableRow(p);
      for (size_t l = 0; l < profile.locations.size(); ++l) row[l] = SmallCell(profile.metrics[m].type, (*random)());
    }
  }
  return profile;
}

inline archive::Profile Whole(const Operand& experiment) {
  archive::Profile profile;
  std::string error;
  const bool good = experiment != nullptr && ToProfile(*experiment, &profile, &error);
  EXPECT_TRUE(good) << error;
  return profile;
}

inline archive::Profile Of(Operation operation, const std::vector<archive::Profile>& profiles,
                           std::vector<std::string>* notes = nullptr) {
  std::vector<Operand> operands;
  for (const archive::Profile& profile : profiles) operands.push_back(FromProfile(profile));
  std::string error;
  const Operand result = Combine(operation, operands, notes, &error);
  EXPECT_EQ(error, "");
  return Whole(result);
}

// Sums a metric over all call paths and locations.
inline double Total(const archive::Profile& profile, uint32_t metric) {
  double total = 0;
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    for (const double value : profile.Exclusive(metric, l)) total += value;
  }
  return total;
}

// Finds a call path by its names from the root; kNone when the profile does not have it.
inline uint32_t FindPath(const archive::Profile& profile, const std::string& name) {
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    if (profile.PathName(p) == name) return p;
  }
  return archive::kNone;
}

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_ALGEBRA_SAMPLES_H_
