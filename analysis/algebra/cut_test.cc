// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/cut.h"

#include "analysis/algebra/algebra_samples.h"
#include "archive/cubex/reader.h"

namespace epik::algebra {
namespace {

using archive::ExampleProfile;
using archive::kNone;
using archive::Profile;
using archive::Type;

Profile CutProfile(const Profile& from, const Cuts& cuts) {
  std::string error;
  const Operand result = Cut(FromProfile(from), cuts, &error);
  EXPECT_EQ(error, "");
  return Whole(result);
}

std::string ErrorOf(const Profile& from, const Cuts& cuts) {
  std::string error;
  EXPECT_EQ(Cut(FromProfile(from), cuts, &error), nullptr);
  return error;
}

bool Adds(const archive::Metric& metric) { return metric.type == Type::kUint64 || metric.type == Type::kDouble; }

TEST(Cut, NothingToCut) {
  for (int seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const Profile a = RandomExperiment(&random);
    archive::ExpectSameProfile(a, CutProfile(a, {}));
  }
}

TEST(Cut, PruningKeepsTotals) {
  for (int seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    Profile a = RandomExperiment(&random);
    // A single root, so that no values are lost.
    for (uint32_t p = 1; p < a.call_paths.size(); ++p) {
      if (a.call_paths[p].parent == kNone) a.call_paths[p].parent = 0;
    }
    const std::string victim = a.regions[random() % a.regions.size()].name;
    if (victim == a.regions[a.call_paths[0].region].name) continue;
    std::string error;
    const Operand cut = Cut(FromProfile(a), {{}, {victim}}, &error);
    if (cut == nullptr) continue;  // the program never calls it
    const Profile rest = Whole(cut);
    for (const archive::CallPath& path : rest.call_paths) EXPECT_NE(rest.regions[path.region].name, victim);
    for (uint32_t m = 0; m < a.metrics.size(); ++m) {
      // These are inclusive values: the random root may lack time of its callees, so its own value is the one that must
      // stay.
      if (!Adds(a.metrics[m])) continue;
      if (a.metrics[m].along == archive::Along::kExclusive) {
        EXPECT_EQ(Total(a, m), Total(rest, m));
      } else {
        for (uint32_t l = 0; l < a.locations.size(); ++l) EXPECT_EQ(a.values[m].Real(0, l), rest.values[m].Real(0, l));
      }
    }
  }
}

TEST(Cut, RootsKeepWhatLiesBelow) {
  const Profile a = ExampleProfile();
  const Profile part = CutProfile(a, {{"solve"}, {}});
  ASSERT_EQ(part.call_paths.size(), 2u);
  EXPECT_EQ(part.PathName(1), "solve > MPI_Send");
  EXPECT_EQ(part.call_paths[0].parent, kNone);
  const uint32_t time = a.FindMetric("time"), visits = a.FindMetric("visits");
  for (uint32_t l = 0; l < 4; ++l) {
    EXPECT_EQ(part.Inclusive(time, l)[0], a.Inclusive(time, l)[1]);
    EXPECT_EQ(part.values[visits].Integer(1, l), a.values[visits].Integer(2, l));
  }
}

TEST(Cut, BothAndPatterns) {
  const Profile a = ExampleProfile();
  const Profile part = CutProfile(a, {{"so?ve", "io"}, {"MPI_*"}});
  ASSERT_EQ(part.call_paths.size(), 2u);
  EXPECT_EQ(part.PathName(0), "solve");
  EXPECT_EQ(part.PathName(1), "io");
  // The 1000 + 10 visits at the first location, and the energy of the pruned call paths.
  EXPECT_EQ(part.values[2].Integer(0, 0), 1010u);
  EXPECT_EQ(part.values[3].Real(0, 0), 256);
  EXPECT_EQ(part.Exclusive(a.FindMetric("time"), 0)[0], 40);
}

TEST(Cut, EveryOutermostCallIsARoot) {
  Profile a = ExampleProfile();
  a.call_paths.push_back({1, 2});  // solve, called by MPI_Send
  a.call_paths[4].parent = 3;
  a.values.clear();
  for (const archive::Metric& metric : a.metrics) a.values.emplace_back(metric.type, 5, 4);
  const Profile part = CutProfile(a, {{"main"}, {}});
  EXPECT_TRUE(part.call_paths == a.call_paths);
  EXPECT_EQ(CutProfile(a, {{"solve"}, {}}).PathName(2), "solve");
}

TEST(Cut, ParametersNeedNotBeTyped) {
  Profile a = ExampleProfile();
  a.regions[1].name = "solve(Grid&, int)";
  EXPECT_EQ(CutProfile(a, {{"solve"}, {}}).call_paths.size(), 2u);
}

TEST(Cut, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf(ExampleProfile(), {{"sol"}, {}}), "no region is called 'sol'; did you mean solve?");
  EXPECT_EQ(ErrorOf(ExampleProfile(), {{"MPI_Sent"}, {}}), "no region is called 'MPI_Sent'; did you mean MPI_Send?");
  EXPECT_EQ(ErrorOf(ExampleProfile(), {{"oslve"}, {}}), "no region is called 'oslve'; did you mean solve?");
  EXPECT_EQ(ErrorOf(ExampleProfile(), {{}, {"xyzzy"}}), "no region is called 'xyzzy'");
  EXPECT_EQ(ErrorOf(ExampleProfile(), {{}, {"main"}}), "nothing stays: all of the call tree is pruned");
}

TEST(Cut, ProposesTemplatesByTheirBareNames) {
  Profile a = ExampleProfile();
  a.regions[1].name = "void grid::apply<std::vector<double>, Matrix<float> >(grid::Mesh const&)";
  for (const char* typed : {"aply", "grid::aplly", "appyl<double>", "void aply<int>(int)"}) {
    EXPECT_EQ(ErrorOf(a, {{typed}, {}}),
              "no region is called '" + std::string(typed) + "'; did you mean " + a.regions[1].name + "?");
  }
}

TEST(Cut, ResultsAreFilesAgain) {
  const std::string path = archive::TestPath("cut.cubex");
  std::string error;
  const Operand cut = Cut(FromProfile(ExampleProfile()), {{"solve"}, {}}, &error);
  ASSERT_TRUE(WriteCubex(*cut, path, {}, &error)) << error;
  Profile read;
  ASSERT_TRUE(archive::ReadCubex(path, &read, &error)) << error;
  archive::ExpectSameProfile(Whole(cut), read);
}

}  // namespace
}  // namespace epik::algebra
