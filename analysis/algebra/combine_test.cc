// SPDX-License-Identifier: BSD-3-Clause
// Laws that hold for any profiles.
#include "analysis/algebra/combine.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

#include "analysis/algebra/algebra_samples.h"
#include "analysis/algebra/cut.h"
#include "analysis/algebra/store.h"
#include "archive/cubex/reader.h"

namespace epik::algebra {
namespace {

using archive::Along;
using archive::ExampleProfile;
using archive::ExpectSameProfile;
using archive::kNone;
using archive::Profile;
using archive::Type;

constexpr int kRounds = 60;

TEST(Combine, DifferenceToItselfIsZero) {
  for (int seed = 0; seed < kRounds; ++seed) {
    std::mt19937_64 random(seed);
    const Profile a = RandomExperiment(&random);
    const Profile zero = Of(Operation::kDifference, {a, a});
    EXPECT_TRUE(zero.call_paths == a.call_paths);
    EXPECT_TRUE(zero.locations == a.locations);
    for (uint32_t m = 0; m < zero.metrics.size(); ++m) {
      for (uint32_t p = 0; p < zero.call_paths.size(); ++p) {
        for (uint32_t l = 0; l < zero.locations.size(); ++l) {
          const double value = zero.values[m].Real(p, l);
          const bool none = a.values[m].Real(p, l) == archive::Values(a.metrics[m].type, 1, 1).Real(0, 0);
          const bool adds = a.metrics[m].type == Type::kUint64 || a.metrics[m].type == Type::kDouble;
          EXPECT_TRUE(value == 0 || (!adds && none)) << value;
        }
      }
    }
  }
}

TEST(Combine, UnlikeRunsAreNoted) {
  std::mt19937_64 random(1);
  const Profile one = RandomExperiment(&random);
  Profile other = RandomExperiment(&random);
  while (other.locations.size() == one.locations.size()) other = RandomExperiment(&random);
  const std::string folder = testing::TempDir();
  std::vector<std::string> notes;
  std::string error;
  ASSERT_TRUE(WriteCubex(*FromProfile(one), folder + "one.cubex", {}, &error)) << error;
  ASSERT_TRUE(WriteCubex(*FromProfile(other), folder + "other.cubex", {}, &error)) << error;
  const auto said = [&](const std::string& second) {
    EXPECT_TRUE(
        CombineFiles(Operation::kMean, {folder + "one.cubex", folder + second}, folder + "mean.cubex", &notes, &error))
        << error;
    return std::any_of(notes.begin(), notes.end(),
                       [](const std::string& note) { return note.find("not alike") != std::string::npos; });
  };
  EXPECT_TRUE(said("other.cubex"));
  EXPECT_FALSE(said("one.cubex"));
}

TEST(Combine, AResultHasNoFactsOfOneRun) {
  std::mt19937_64 random(1);
  Inputs inputs;
  for (const double wall : {3.0, 5.0}) {
    inputs.paths.push_back("epik_solver");
    inputs.operands.push_back(FromProfile(RandomExperiment(&random)));
    archive::Archive& archive = inputs.archives.emplace_back();
    archive.has_manifest = true;
    archive.manifest.program = "solver";
    archive.manifest.host = "node1";
    archive.manifest.wall_seconds = wall;
    archive.manifest.cpu_seconds = archive.manifest.ran_seconds = archive.manifest.queued_seconds = wall;
    archive.manifest.mpi_calls = 7;
    archive.manifest.hot.sampled_paths = 1;
    archive.manifest.notes = {"something was lost"};
  }
  const std::string path = testing::TempDir() + "epik_mean";
  std::string error;
  ASSERT_TRUE(Store(*inputs.operands[0], "mean of both", inputs, path, &error)) << error;
  archive::Archive made;
  ASSERT_TRUE(archive::Open(path, &made, &error)) << error;
  EXPECT_EQ(made.manifest.program, "solver");
  EXPECT_EQ(made.manifest.host, "node1");
  EXPECT_EQ(made.manifest.wall_seconds, 5);
  EXPECT_EQ(made.manifest.ended, "");
  EXPECT_EQ(made.manifest.notes, std::vector<std::string>{"mean of both"});
  EXPECT_EQ(made.manifest.QueuedShare(), 0);
  EXPECT_EQ(made.manifest.cpu_seconds, 0);
  EXPECT_EQ(made.manifest.mpi_calls, 0u);
  EXPECT_EQ(made.manifest.hot.sampled_paths, 0u);
}

TEST(Combine, MeanOfOneThingIsThatThing) {
  for (int seed = 0; seed < kRounds; ++seed) {
    std::mt19937_64 random(seed);
    const Profile a = RandomExperiment(&random);
    ExpectSameProfile(a, Of(Operation::kMean, {a, a}));
    ExpectSameProfile(a, Of(Operation::kMean, {a, a, a}));
    ExpectSameProfile(a, Of(Operation::kMerge, {a, a}));
    ExpectSameProfile(a, Of(Operation::kMean, {a}));
  }
}

TEST(Combine, MeanIsBetweenMinAndMax) {
  for (int seed = 0; seed < kRounds; ++seed) {
    std::mt19937_64 random(seed);
    // Exclusive values, as the operators for least and most use them.
    Profile a = RandomExperiment(&random);
    for (archive::Metric& metric : a.metrics) metric.along = Along::kExclusive;
    const std::vector<Profile> runs = {a, Again(a, &random), Again(a, &random)};
    const Profile least = Of(Operation::kMin, runs), mean = Of(Operation::kMean, runs),
                  most = Of(Operation::kMax, runs);
    for (uint32_t m = 0; m < a.metrics.size(); ++m) {
      for (uint32_t p = 0; p < a.call_paths.size(); ++p) {
        for (uint32_t l = 0; l < a.locations.size(); ++l) {
          EXPECT_LE(least.values[m].Real(p, l), mean.values[m].Real(p, l));
          EXPECT_LE(mean.values[m].Real(p, l), most.values[m].Real(p, l));
          for (const Profile& run : runs) EXPECT_LE(least.values[m].Real(p, l), run.values[m].Real(p, l));
        }
      }
    }
  }
}

TEST(Combine, AValueThatIsNoNumberStays) {
  const double infinity = std::numeric_limits<double>::infinity(), none = std::nan("");
  Profile a = archive::ExampleProfile(), b = a;
  const uint32_t energy = a.FindMetric("energy");
  a.metrics[energy].along = b.metrics[energy].along = Along::kExclusive;
  const auto combined = [&](Operation operation, double x, double y) {
    a.values[energy].Set(1, 0, x);
    b.values[energy].Set(1, 0, y);
    return Of(operation, {a, b}).values[energy].Real(1, 0);
  };
  for (const Operation operation : {Operation::kMean, Operation::kMin, Operation::kMax}) {
    EXPECT_TRUE(std::isnan(combined(operation, 1.5, none)));
    EXPECT_TRUE(std::isnan(combined(operation, none, 1.5)));
  }
  for (const auto& [x, y] : {std::pair(1.5, infinity), std::pair(infinity, 1.5)}) {
    EXPECT_EQ(combined(Operation::kMean, x, y), infinity);
    EXPECT_EQ(combined(Operation::kMax, x, y), infinity);
    EXPECT_EQ(combined(Operation::kMin, x, y), 1.5);
  }
}

TEST(Combine, MergeHasTheMetricsOfAll) {
  for (int seed = 0; seed < kRounds; ++seed) {
    std::mt19937_64 random(seed);
    Profile a = RandomExperiment(&random), b = RandomExperiment(&random);
    for (archive::Metric& metric : b.metrics) metric.unique_name += random() % 2 != 0 ? "b" : "";
    const Profile merged = Of(Operation::kMerge, {a, b});
    std::set<std::string> names;
    for (const Profile* profile : {&a, &b}) {
      for (const archive::Metric& metric : profile->metrics) names.insert(metric.unique_name);
    }
    EXPECT_EQ(merged.metrics.size(), names.size());
    for (uint32_t m = 0; m < merged.metrics.size(); ++m) {
      const std::string& name = merged.metrics[m].unique_name;
      const Profile& from = a.FindMetric(name) != kNone ? a : b;
      if (merged.metrics[m].type == Type::kMin || merged.metrics[m].type == Type::kMax) continue;
      EXPECT_EQ(Total(merged, m), Total(from, from.FindMetric(name))) << name;
    }
  }
}

TEST(Combine, TotalsOfADifferenceAreDifferencesOfTotals) {
  for (int seed = 0; seed < kRounds; ++seed) {
    std::mt19937_64 random(seed);
    const Profile a = RandomExperiment(&random), b = RandomExperiment(&random);
    std::vector<std::string> notes;
    const Operand result = [&] {
      std::string error;
      return Combine(Operation::kDifference, {FromProfile(a), FromProfile(b)}, &notes, &error);
    }();
    if (result == nullptr) continue;
    const Profile difference = Whole(result);
    for (uint32_t m = 0; m < difference.metrics.size(); ++m) {
      const Type type = difference.metrics[m].type;
      if (type == Type::kMin || type == Type::kMax) continue;
      const uint32_t in_a = a.FindMetric(difference.metrics[m].unique_name);
      const uint32_t in_b = b.FindMetric(difference.metrics[m].unique_name);
      // If one operand stores the metric inclusive and the other exclusive, callers without time of their own have no
      // value.
      if (in_a != kNone && in_b != kNone && a.metrics[in_a].along != b.metrics[in_b].along) continue;
      const double expected = (in_b == kNone ? 0 : Total(b, in_b)) - (in_a == kNone ? 0 : Total(a, in_a));
      EXPECT_EQ(Total(difference, m), expected);
    }
  }
}

TEST(Combine, ResultsAreFilesAgain) {
  const std::string path = archive::TestPath("closed.cubex");
  for (int seed = 0; seed < kRounds; ++seed) {
    std::mt19937_64 random(seed);
    const Operand a = FromProfile(RandomExperiment(&random)), b = FromProfile(RandomExperiment(&random));
    for (const Operation operation : {Operation::kDifference, Operation::kMerge, Operation::kMean, Operation::kMin}) {
      std::string error;
      const Operand result = Combine(operation, {a, b}, nullptr, &error);
      if (result == nullptr) continue;
      ASSERT_TRUE(WriteCubex(*result, path, {}, &error)) << error;
      Profile read;
      ASSERT_TRUE(archive::ReadCubex(path, &read, &error)) << error;
      ExpectSameProfile(Whole(result), read);
      const Operand again = OpenExperiment(path, nullptr, nullptr, &error);
      ASSERT_NE(again, nullptr) << error;
      const Operand zero = Combine(Operation::kDifference, {result, again}, nullptr, &error);
      ASSERT_NE(zero, nullptr) << error;
      for (uint32_t m = 0; m < read.metrics.size(); ++m) {
        const bool adds = zero->definitions().metrics[m].type == Type::kDouble;
        EXPECT_EQ(adds ? Total(Whole(zero), m) : 0, 0);
      }
    }
  }
}

TEST(Combine, FilesAsOtherToolsWriteThem) {
  const std::string path = archive::TestPath("foreign.cubex");
  for (int seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    const Profile a = RandomExperiment(&random);
    archive::Encoding encoding;
    encoding.big_endian = seed % 2 != 0;
    encoding.dense = seed % 3 != 0;
    encoding.zip = seed % 5 != 0;
    encoding.gzip_anchor = seed % 7 == 0;
    std::ofstream(path, std::ios::binary) << archive::EncodeCubex(a, encoding);
    std::string error;
    const Operand file = OpenExperiment(path, nullptr, nullptr, &error);
    ASSERT_NE(file, nullptr) << error;
    const Operand mean = Combine(Operation::kMean, {file, FromProfile(a)}, nullptr, &error);
    ExpectSameProfile(a, Whole(mean));
  }
}

TEST(Combine, InclusiveTimeOfOneToolMeetsExclusiveTimeOfAnother) {
  Profile inclusive = ExampleProfile(), exclusive = ExampleProfile();
  const uint32_t time = exclusive.FindMetric("time"), mpi = exclusive.FindMetric("mpi");
  for (const uint32_t m : {time, mpi}) {
    for (uint32_t l = 0; l < 4; ++l) {
      const std::vector<double> own = inclusive.Exclusive(m, l);
      for (uint32_t p = 0; p < 4; ++p) exclusive.values[m].Set(p, l, own[p]);
    }
    exclusive.metrics[m].along = Along::kExclusive;
  }
  const Profile difference = Of(Operation::kDifference, {inclusive, exclusive});
  EXPECT_EQ(difference.metrics[time].along, Along::kExclusive);
  for (uint32_t p = 0; p < 4; ++p) {
    for (uint32_t l = 0; l < 4; ++l) EXPECT_EQ(difference.values[time].Real(p, l), 0) << p << " " << l;
  }
}

TEST(Combine, ADifferenceIsKnownAsOne) {
  const Profile run = ExampleProfile();
  const Profile difference = Of(Operation::kDifference, {run, run});
  EXPECT_TRUE(difference.is_difference);
  EXPECT_FALSE(Of(Operation::kMean, {run, run}).is_difference);
  for (const Operation operation : {Operation::kMerge, Operation::kMean, Operation::kMin, Operation::kMax}) {
    EXPECT_TRUE(Of(operation, {run, difference}).is_difference);
  }
  std::string error;
  const Operand part = Cut(FromProfile(difference), {}, &error);
  ASSERT_NE(part, nullptr) << error;
  EXPECT_TRUE(part->definitions().is_difference);
}

TEST(Combine, CountsKeepTheirDigits) {
  Profile a = ExampleProfile(), b = a;
  const uint32_t visits = a.FindMetric("visits");
  a.values[visits].Set(0, 0, uint64_t{1} << 60);
  b.values[visits].Set(0, 0, (uint64_t{1} << 60) + 1);
  EXPECT_EQ(Of(Operation::kDifference, {a, b}).values[visits].Real(0, 0), 1);
  EXPECT_EQ(Of(Operation::kDifference, {b, a}).values[visits].Real(0, 0), -1);
  EXPECT_EQ(Of(Operation::kMean, {a, b}).values[visits].Integer(0, 0), (uint64_t{1} << 60) + 1);
  EXPECT_EQ(Of(Operation::kMin, {a, b}).values[visits].Integer(0, 0), uint64_t{1} << 60);
}

TEST(Combine, WhatNeverRanIsNotTheLeast) {
  Profile a = ExampleProfile();
  const uint32_t least = a.AddMetric({"min_time", "", "sec", "", Type::kMin, Along::kExclusive, kNone});
  Profile b = a;
  a.values[least].Set(0, 0, 5.0);
  b.values[least].Set(0, 0, 3.0);
  b.values[least].Set(1, 1, 7.0);
  EXPECT_EQ(Of(Operation::kMean, {a, b}).values[least].Real(0, 0), 4);
  EXPECT_EQ(Of(Operation::kMean, {a, b}).values[least].Real(1, 1), 7);
  EXPECT_EQ(Of(Operation::kMax, {a, b}).values[least].Real(0, 0), 5);
  EXPECT_FALSE(Of(Operation::kMax, {a, b}).values[least].Has(2));
  EXPECT_FALSE(Of(Operation::kDifference, {a, b}).values[least].Has(1));
}

TEST(Combine, WhatDoesNotFitIsLeftOutAndNamed) {
  Profile a = ExampleProfile(), b = a;
  b.metrics[b.FindMetric("energy")].unit = "kJ";
  std::vector<std::string> notes;
  const Profile mean = Of(Operation::kMean, {a, b}, &notes);
  EXPECT_EQ(mean.FindMetric("energy"), kNone);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "metric energy is left out: its units are \"J\" and \"kJ\"");
  EXPECT_EQ(Of(Operation::kMerge, {a, b}).metrics[3].unit, "J");
}

}  // namespace
}  // namespace epik::algebra
