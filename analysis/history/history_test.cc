// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/history/history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "analysis/algebra/store.h"
#include "archive/cubex/test_profiles.h"
#include "archive/files/atomic_file.h"
#include "archive/files/byte_source.h"

namespace epik::analysis {
namespace {

std::vector<double> Noisy(const std::vector<double>& levels, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> off(0, noise);
  std::vector<double> values;
  for (const double level : levels) values.push_back(level + off(random));
  return values;
}

TEST(Trend, DriftIsFoundAndOneBadRunIsNone) {
  std::vector<double> rising;
  for (int i = 0; i < 20; ++i) rising.push_back(10 + 0.1 * i);
  EXPECT_NEAR(TrendOf(rising).per_run, 0.1, 1e-12);
  EXPECT_LT(TrendOf(rising).probability, 1e-6);
  std::vector<double> bad(20, 10);
  bad[11] = 90;
  EXPECT_EQ(TrendOf(bad).per_run, 0);
  EXPECT_GT(TrendOf(bad).probability, 0.3);
  EXPECT_EQ(TrendOf({1, 2, 3}).probability, 1);
  EXPECT_EQ(TrendOf({1}).per_run, 0);
  EXPECT_EQ(TrendOf({}).per_run, 0);
  EXPECT_EQ(TrendOf({5, 5, 5, 5, 5}).probability, 1);
}

TEST(Jumps, AreWhereTheLevelChanged) {
  std::vector<double> levels(12, 10);
  levels.insert(levels.end(), 9, 11);
  levels.insert(levels.end(), 9, 8);
  const std::vector<Jump> jumps = JumpsOf(Noisy(levels, 0.1, 1));
  ASSERT_EQ(jumps.size(), 2u);
  EXPECT_EQ(jumps[0].at, 12u);
  EXPECT_EQ(jumps[1].at, 21u);
  EXPECT_NEAR(jumps[0].before, 10, 0.1);
  EXPECT_NEAR(jumps[1].before, 11, 0.1);
  EXPECT_NEAR(jumps[1].after, 8, 0.1);
}

TEST(Jumps, NoiseHasFew) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 200; ++seed)
    wrong += JumpsOf(Noisy(std::vector<double>(30, 10), 1, seed)).empty() ? 0 : 1;
  // The best of 27 splits is no free choice: Bonferroni's limit keeps these near 5 %.
  EXPECT_LT(wrong, 40);
  EXPECT_TRUE(JumpsOf({1, 2}).empty());
  EXPECT_TRUE(JumpsOf({}).empty());
}

TEST(HostClass, NumbersOfMachinesDoNotMatter) {
  EXPECT_EQ(HostClass("node0123.cluster.org", ""), "node*");
  EXPECT_EQ(HostClass("n1-r22", "Some CPU"), "n*-r*, Some CPU");
  EXPECT_EQ(HostClass("login", ""), "login");
}

std::string Folder(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  mkdir(path.c_str(), 0777);
  return path;
}

void Make(const std::string& path, const std::string& started, double wall, const std::string& host = "n1",
          const std::string& ended = "exit", const archive::Profile& profile = archive::ExampleProfile()) {
  mkdir(path.c_str(), 0777);
  archive::Manifest manifest;
  manifest.program = "solver";
  manifest.host = host;
  manifest.started = started;
  manifest.wall_seconds = wall;
  manifest.revision = "0123456789abcdef0123456789abcdef01234567";
  manifest.ended = ended;
  std::string error;
  ASSERT_TRUE(archive::WriteFileAtomically(path + "/manifest.json", manifest.ToJson(), &error)) << error;
  ASSERT_TRUE(algebra::WriteCubex(*algebra::FromProfile(profile), path + "/summary.cubex", {}, &error)) << error;
}

TEST(History, SeriesByTitleAndHostInTheOrderOfTime) {
  const std::string folder = Folder("history");
  mkdir((folder + "/deep").c_str(), 0777);
  Make(folder + "/epik_b", "2026-11-22T10:00:00+0100", 2);  // 9:00 UTC
  Make(folder + "/epik_a", "2026-11-22T09:30:00+0000", 3, "n22");
  Make(folder + "/deep/epik_c", "2026-11-21T10:00:00+0000", 1);
  Make(folder + "/epik_d", "2026-11-22T11:00:00+0000", 9, "other");
  Make(folder + "/epik_e", "2026-11-22T11:00:00+0000", 9, "n1", "running");
  Make(folder + "/epik_f.unfinished", "2026-11-22T11:00:00+0000", 9);
  History history;
  std::string error;
  ASSERT_TRUE(ReadHistory({folder}, 2, &history, &error)) << error;
  ASSERT_EQ(history.series.size(), 2u);
  const Series& series = history.series[0];
  ASSERT_EQ(series.figures[0].name, "wall time");
  EXPECT_EQ(series.figures[0].values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(series.host_class, "n*");
  EXPECT_EQ(series.runs[0].revision.substr(0, 8), "01234567");
  EXPECT_EQ(history.left_out.size(), 1u);  // the snapshot
  size_t regions = 0;
  for (const Figure& figure : series.figures) regions += figure.name.starts_with("time in ") ? 1 : 0;
  EXPECT_EQ(regions, 2u);
  EXPECT_FALSE(ReadHistory({folder + "/deep/nothing"}, 2, &history, &error));
}

// On an oversubscribed machine, the CPU time is a bracket. Its upper end is a figure where any run has one.
TEST(History, OfABracketBothEndsAreFigures) {
  const std::string folder = Folder("bracket");
  for (const double most : {0.0, 0.055, 0.0842}) {
    const std::string path = folder + "/epik_" + std::to_string(most);
    const std::string started = most == 0 ? "2026-11-22T09:30:00+0000" : "2026-11-22T10:30:00+0000";
    Make(path, started, 1);
    archive::Manifest manifest;
    std::string text, error;
    ASSERT_TRUE(archive::ReadFile(path + "/manifest.json", 1 << 20, &text, &error)) << error;
    ASSERT_TRUE(archive::Manifest::FromJson(text, &manifest, &error)) << error;
    manifest.cpu_seconds = 0.0547;
    manifest.cpu_most_seconds = most;
    manifest.queued_seconds = most > 0.06 ? 0.05 : 0;
    ASSERT_TRUE(archive::WriteFileAtomically(path + "/manifest.json", manifest.ToJson(), &error)) << error;
    History history;
    ASSERT_TRUE(ReadHistory({folder}, 0, &history, &error)) << error;
    ASSERT_EQ(history.series.size(), 1u);
    const Series& series = history.series[0];
    const auto found = std::find_if(series.figures.begin(), series.figures.end(),
                                    [](const Figure& figure) { return figure.name == "CPU time at most"; });
    EXPECT_EQ(series.is_oversubscribed, most > 0.06);
    if (most < 0.06) {
      EXPECT_EQ(found, series.figures.end()) << "the CPU time is known";
      continue;
    }
    ASSERT_NE(found, series.figures.end());
    EXPECT_EQ(found->values, (std::vector<double>{0.0547, 0.055, 0.0842}));
  }
}

TEST(History, WhatCannotBeReadIsNamedAndTheRestIsThere) {
  const std::string folder = Folder("damaged");
  for (const char* name : {"/epik_a", "/epik_b", "/epik_c"}) Make(folder + name, "2026-11-22T10:00:00+0000", 1);
  std::string error;
  ASSERT_TRUE(archive::WriteFileAtomically(folder + "/epik_b/manifest.json", "{", &error)) << error;
  unlink((folder + "/epik_c/manifest.json").c_str());
  History history;
  ASSERT_TRUE(ReadHistory({folder}, 2, &history, &error)) << error;
  EXPECT_FALSE(history.has_all);
  EXPECT_EQ(history.series[0].runs.size(), 1u);
  ASSERT_EQ(history.left_out.size(), 2u);
  std::sort(history.left_out.begin(), history.left_out.end());
  EXPECT_NE(history.left_out[0].find("/epik_b"), std::string::npos) << history.left_out[0];
  EXPECT_NE(history.left_out[1].find("/epik_c is left out: it has no manifest.json"), std::string::npos);
  EXPECT_FALSE(ReadHistory({folder + "/epik_b"}, 2, &history, &error));
  EXPECT_NE(error.find("/epik_b"), std::string::npos) << error;
}

TEST(History, RunsOfOneSecondAreInTheOrderOfTheirNumbers) {
  const std::string folder = Folder("numbered");
  const std::vector<std::string> names = {"/epik_a", "/epik_a.1", "/epik_a.2", "/epik_a.9", "/epik_a.10", "/epik_a.11"};
  std::vector<std::string> paths;
  for (size_t i = 0; i < names.size(); ++i) {
    Make(folder + names[i], "2026-11-22T10:00:00+0000", static_cast<double>(i + 1));
    paths.push_back(folder + names[i]);
  }
  std::sort(paths.begin(), paths.end());  // in the order in which shells name them
  for (const std::vector<std::string>& given : {std::vector<std::string>{folder}, paths}) {
    History history;
    std::string error;
    ASSERT_TRUE(ReadHistory(given, 0, &history, &error)) << error;
    EXPECT_EQ(history.series[0].figures[0].values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  }
}

// The example with a barrier of OpenMP in each of these lines of main. The n-th of them takes n × 1 000 s.
archive::Profile WithBarriers(const std::vector<int>& lines) {
  archive::Profile profile = archive::ExampleProfile();
  for (const int line : lines) {
    const std::string name = "barrier @prog.c:" + std::to_string(line);
    profile.call_paths.push_back({static_cast<uint32_t>(profile.regions.size()), 0});
    profile.regions.push_back({name, name, "prog.c", line, line, "openmp", "barrier", ""});
  }
  std::vector<archive::Values> values;
  for (const archive::Values& before : profile.values) {
    archive::Values more(before.type(), profile.call_paths.size(), profile.locations.size());
    for (uint32_t p = 0; p + lines.size() < profile.call_paths.size(); ++p) {
      if (before.Has(p)) std::copy_n(before.Row(p), profile.locations.size(), more.MutableRow(p));
    }
    values.push_back(std::move(more));
  }
  profile.values = std::move(values);
  for (uint32_t n = 1; n <= lines.size(); ++n) {
    const auto path = static_cast<uint32_t>(profile.call_paths.size() - lines.size() + n - 1);
    profile.values[profile.FindMetric("time")].Set(path, 0, 1000.0 * n);
  }
  return profile;
}

TEST(History, ConstructsThatMovedAreTheSame) {
  const std::string folder = Folder("moved");
  Make(folder + "/epik_a", "2026-11-21T10:00:00+0000", 1, "n1", "exit", WithBarriers({4, 6}));
  Make(folder + "/epik_b", "2026-11-22T10:00:00+0000", 1, "n1", "exit", WithBarriers({6, 8}));
  History history;
  std::string error;
  ASSERT_TRUE(ReadHistory({folder}, 2, &history, &error)) << error;
  std::map<std::string, std::vector<double>> found;
  for (const Figure& figure : history.series[0].figures) {
    if (figure.name.starts_with("time in ")) found[figure.name] = figure.values;
  }
  const std::map<std::string, std::vector<double>> expected = {{"time in barrier @prog.c:6", {1000, 1000}},
                                                               {"time in barrier @prog.c:8", {2000, 2000}}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace epik::analysis
