// SPDX-License-Identifier: BSD-3-Clause
// Compares text reports with report/text/testdata/*.txt. After a wanted change: UPDATE_GOLDEN=1 bazel run
// //report/text:text_test
#include "report/text/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "analysis/findings/findings.h"
#include "report/figures.h"
#include "report/sample_profiles.h"
#include "report/views/communication.h"
#include "view/text.h"

namespace epik::report {
namespace {

std::string Text(const Sample& sample, const ViewOptions& options = {}) {
  std::string text;
  std::string error;
  if (!WriteText(sample.profile, sample.manifest, options, AppendTo(&text), &error)) return "error: " + error + "\n";
  return text;
}

// The report when the values are not in memory.
std::string TextFromDisk(const Sample& sample, const ViewOptions& options, double least, size_t readable) {
  const archive::Profile& p = sample.profile;
  archive::Profile definitions = p;
  definitions.values.clear();
  std::map<uint32_t, Split> splits;
  ExclusiveRowSource rows;
  rows.has = [&](uint32_t m, uint32_t path) { return p.values[m].Has(path); };
  rows.read = [&, readable](uint32_t m, uint32_t path, uint64_t* cells, std::string* error) mutable {
    if (readable-- == 0) return *error = "a row is damaged", false;
    std::copy_n(p.values[m].Row(path), p.locations.size(), cells);
    if (p.metrics[m].along == archive::Along::kInclusive) {
      const Split& split = splits.try_emplace(m, p, m).first->second;
      const std::vector<double>& own = split.ExclusiveRow(path);
      for (size_t l = 0; l < own.size(); ++l) cells[l] = std::bit_cast<uint64_t>(own[l]);
    }
    return true;
  };
  std::string text;
  std::string error;
  const Figures figures(definitions, rows, least);
  if (!WriteText(figures, sample.manifest, options, AppendTo(&text), &error)) return "error: " + error + "\n";
  return text;
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (std::getenv("UPDATE_GOLDEN") != nullptr && workspace != nullptr) {
    std::ofstream(std::string(workspace) + "/report/text/testdata/" + name + ".txt") << text;
    return;
  }
  std::ifstream file("report/text/testdata/" + name + ".txt");
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << name << ": if this is wanted, UPDATE_GOLDEN=1 bazel run //report/text:text_test";
}

ViewOptions With(const char* view) {
  ViewOptions options;
  options.view = view;
  return options;
}

TEST(Text, TheCommandCanBeCopiedIntoAShell) {
  Sample sample = Stencil();
  sample.manifest.command = {"./my solver", "--name=it's", "$HOME", "input.dat"};
  const std::string text = Text(sample);
  EXPECT_NE(text.find("\ncommand    './my solver' '--name=it'\\''s' '$HOME' input.dat\n"), std::string::npos) << text;
}

TEST(Text, ValuesThatStayOnDisk) {
  size_t compared = 0;
  for (const Sample& sample : AllSamples()) {
    for (const char* view : {"tree", "flat", "load", "callers-of"}) {
      ViewOptions options = With(view);
      if (view == std::string("callers-of")) options.argument = "*";
      for (const double percent : {0.0, 1.0}) {
        options.min_percent = percent;
        EXPECT_EQ(TextFromDisk(sample, options, percent / 100, SIZE_MAX), Text(sample, options))
            << sample.manifest.program;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50u);
}

// Stores the exclusive times, each multiplied by factor(call path), in place of the inclusive ones. Returns the metric.
template <class Factor>
uint32_t SetExclusiveTimes(archive::Profile* profile, Factor factor) {
  const uint32_t time = profile->FindMetric("time");
  const Split split(*profile, time);
  profile->metrics[time].along = archive::Along::kExclusive;
  for (uint32_t path = 0; path < profile->call_paths.size(); ++path) {
    for (uint32_t l = 0; l < profile->locations.size(); ++l) {
      profile->values[time].Set(path, l, factor(path) * split.Exclusive(path, l));
    }
  }
  return time;
}

TEST(Text, ValuesThatStayOnDiskMayBeNoNumbers) {
  Sample sample = Hybrid();
  archive::Profile& p = sample.profile;
  const uint32_t time = SetExclusiveTimes(&p, [](uint32_t) { return 1.0; });
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    p.values[time].Set(1, 0, value);
    for (const char* view : {"tree", "flat", "load"}) {
      EXPECT_EQ(TextFromDisk(sample, With(view), 0.01, SIZE_MAX), Text(sample, With(view))) << view << " " << value;
    }
  }
}

TEST(Text, ARowThatCannotBeRead) {
  for (size_t readable : {0, 1, 12}) {
    EXPECT_EQ(TextFromDisk(Stencil(), With("flat"), 0.01, readable), "error: a row is damaged\n") << readable;
  }
}

TEST(Text, HybridTree) { ExpectGolden("hybrid_tree", Text(Hybrid())); }
TEST(Text, HybridFlat) { ExpectGolden("hybrid_flat", Text(Hybrid(), With("flat"))); }
TEST(Text, HybridLoad) { ExpectGolden("hybrid_load", Text(Hybrid(), With("load"))); }
TEST(Text, StencilFlat) { ExpectGolden("stencil_flat", Text(Stencil(), With("flat"))); }
TEST(Text, StencilLoad) { ExpectGolden("stencil_load", Text(Stencil(), With("load"))); }
TEST(Text, StencilMpi) { ExpectGolden("stencil_mpi", Text(Stencil(), With("mpi"))); }
TEST(Text, StencilOmp) { ExpectGolden("stencil_omp", Text(Stencil(), With("omp"))); }
TEST(Text, StencilPop) { ExpectGolden("stencil_pop", Text(Stencil(), With("pop"))); }
TEST(Text, StencilTree) { ExpectGolden("stencil_tree", Text(Stencil())); }
TEST(Text, Recursion) { ExpectGolden("recursion", Text(Recursion())); }
TEST(Text, Unfinished) { ExpectGolden("unfinished", Text(Unfinished())); }
TEST(Text, DeepChain) { ExpectGolden("deep_chain", Text(DeepChain())); }
TEST(Text, Wide) { ExpectGolden("wide", Text(Wide())); }
TEST(Text, WideFlat) { ExpectGolden("wide_flat", Text(Wide(), With("flat"))); }
TEST(Text, Templates) { ExpectGolden("templates", Text(Templates())); }
TEST(Text, NoTime) { ExpectGolden("no_time", Text(NoTime())); }
TEST(Text, NoLocations) { ExpectGolden("no_locations", Text(NoLocations())); }
TEST(Text, Hostile) { ExpectGolden("hostile", Text(Hostile())); }

// A profile of the changes between two runs: some call paths took longer, most took less.
Sample Difference() {
  Sample sample = Hybrid();
  SetExclusiveTimes(&sample.profile, [](uint32_t path) { return path % 3 == 0 ? 1.0 : -1.0; });
  sample.manifest = {};
  sample.manifest.program = "change.cubex";
  sample.manifest.ended.clear();
  sample.manifest.ranks = sample.manifest.threads = 2;
  return sample;
}
TEST(Text, DifferenceTree) { ExpectGolden("difference_tree", Text(Difference())); }
TEST(Text, DifferenceFlat) { ExpectGolden("difference_flat", Text(Difference(), With("flat"))); }
TEST(Text, DifferenceLoad) { ExpectGolden("difference_load", Text(Difference(), With("load"))); }
TEST(Text, DifferenceOmp) { ExpectGolden("difference_omp", Text(Difference(), With("omp"))); }
TEST(Text, ADifferenceInWhichNothingTookLess) {
  Sample sample = Difference();
  SetExclusiveTimes(&sample.profile, [](uint32_t path) { return path % 3 == 0 ? 1.0 : 0.0; });
  const std::string of_run = Text(sample);
  EXPECT_EQ(of_run.find("difference"), std::string::npos) << of_run;
  sample.profile.is_difference = true;
  for (const std::string& text : {Text(sample), TextFromDisk(sample, {}, 0, SIZE_MAX)}) {
    EXPECT_NE(text.find("largest differences"), std::string::npos) << text;
    EXPECT_EQ(text.find("hottest"), std::string::npos) << text;
  }
  EXPECT_NE(Text(sample, With("pop")).find("A difference of runs has no efficiencies"), std::string::npos);
}
TEST(Text, DifferencePop) { ExpectGolden("difference_pop", Text(Difference(), With("pop"))); }

// The names in the last column of the last table that has this title.
std::vector<std::string> LastNames(const std::string& text, const std::string& title) {
  std::vector<std::string> names;
  std::stringstream lines(text);
  bool table = false;
  for (std::string line; std::getline(lines, line);) {
    if (table && line.empty()) break;
    if (table) names.push_back(line.substr(line.rfind("  ") + 2));
    table |= line.ends_with("  " + title);
  }
  return names;
}

TEST(Text, RowsAreSortedAsAsked) {
  ViewOptions options = With("flat");
  options.sort = ViewOptions::Sort::kVisits;
  EXPECT_EQ(LastNames(Text(Stencil(), options), "region").at(0), "relax");
  // Several regions were entered 8 000 times: the one with most time comes first.
  EXPECT_EQ(LastNames(Text(Stencil(), options), "region").at(1), "implicit barrier @stencil.cc:42");
  options.sort = ViewOptions::Sort::kInclusive;
  EXPECT_EQ(LastNames(Text(Stencil(), options), "region").at(0), "stencil");
  options = With("mpi");
  options.sort = ViewOptions::Sort::kName;
  const std::vector<std::string> names = LastNames(Text(Stencil(), options), "function");
  EXPECT_EQ(names.size(), 7u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  options.sort = ViewOptions::Sort::kBytes;
  EXPECT_EQ(LastNames(Text(Stencil(), options), "function").at(2), "MPI_File_write_at_all");
}

TEST(Text, CallersAreSortedAsAsked) {
  ViewOptions options = With("callers-of");
  options.argument = "MPI_*";
  options.sort = ViewOptions::Sort::kName;
  const std::vector<std::string> names = LastNames(Text(Hybrid(), options), "called as");
  EXPECT_GT(names.size(), 2u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

// A view of a trace has the profile of the trace, which may lack idle threads.
TEST(Text, TheTimeInTheHeaderIsThatOfTheRun) {
  ViewOptions options;
  options.run_seconds = 42;
  EXPECT_NE(Text(Hybrid(), options).find("time       42.0 s = sum over"), std::string::npos);
}

TEST(Text, TheCriticalPathSaysWhatIsEstimated) {
  findings::Findings found;
  found.by_summary = true;
  found.critical.end_s = 2;
  found.critical.segments = {{0, 2, {0, 0}, "heat > main"}};
  found.critical.places = {{2, {0, 0}, "heat > main"}};
  ViewOptions options = With("critical");
  options.findings = &found;
  EXPECT_EQ(Text(Hybrid(), options).find("estimated"), std::string::npos) << "the trace was off when others ran";
  found.critical.places = {{1, {0, 0}, "heat > main"}, {1, {0, 0}, "heat > main > relax"}};
  const std::string text = Text(Hybrid(), options);
  EXPECT_NE(text.find("estimated by the summary"), std::string::npos) << text;
  EXPECT_NE(text.find("  50.0  main > relax\n"), std::string::npos) << text;
}

TEST(Text, FindingsThatAreATrifleAreLeftOut) {
  findings::Findings found;
  found.are_there = true;
  found.waits = 3;
  found.waited_s = 1;
  found.chains.resize(2);
  found.chains[0].seconds = 0.9;
  found.chains[0].text = "the large one";
  found.chains[1].seconds = 0.005;
  found.chains[1].text = "the small one";
  findings::Instance longest;
  longest.kind = "delay_latesender";
  longest.callpath = "heat > main > MPI_Waitall";
  longest.who = {0, 0};
  longest.waited_for = {1, 0};
  longest.to_s = longest.seconds = 0.5;
  found.instances = {longest, longest};
  found.instances[1].to_s = found.instances[1].seconds = 0.001;
  ViewOptions options;
  options.findings = &found;
  const std::string text = Text(Hybrid(), options);
  EXPECT_NE(text.find("causes     900 ms: the large one\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("the small one"), std::string::npos) << text;
  EXPECT_NE(text.find("worst      500 ms from 0 s on: thread 0:0 waits for thread 1:0 (Late Sender) in main >"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("1.00 ms from"), std::string::npos) << text;
}

// A thread may wait in two ways in one call for the same function, so the line names the way. Waits have the names that
// --waits has. Analyses of earlier versions have none, and the kinds of their causes are named instead.
TEST(Text, WaitsHaveTheNamesOfTheirWaitStates) {
  findings::Findings found;
  found.are_there = true;
  found.waits = 3;
  found.waited_s = 2;
  found.chains.resize(3);
  found.chains[0] = {1.5, 1, {0, 1}, "delay_task", "heat > main", "omp_ibarrier_tasks", {}, "thread 0:1 waits"};
  found.chains[1] = {0.5, 1, {0, 1}, "delay_ompbarrier", "heat > main", "omp_ibarrier_wait", {}, "thread 0:1 waits"};
  found.chains[2] = {0.25, 1, {0, 1}, "delay_ompbarrier", "heat > main", "", {}, "thread 0:1 waits"};
  const findings::Instance whole = {"delay_task", "heat > main", {0, 1}, {0, 0}, 1, 3, "omp_ibarrier_tasks", 1.5};
  findings::Instance part = whole, with_part = whole;
  with_part.wait_state = "omp_ibarrier_wait";
  part.wait_state = "omp_ibarrier_creation";
  with_part.seconds = 2;
  found.instances = {with_part, part, whole};
  ViewOptions options;
  options.findings = &found;
  const std::string text = Text(Hybrid(), options);
  EXPECT_NE(text.find("causes     1.50 s, Wait for Tasks at Implicit Barrier: thread 0:1 waits\n"
                      "           500 ms, Wait at Implicit Barrier: thread 0:1 waits\n"
                      "           250 ms, Wait at OpenMP Barrier: thread 0:1 waits\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("worst      2.00 s from 1.00 s on: thread 0:1 waits for thread 0:0 (Wait at Implicit Barrier) in"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("           1.50 s between 1.00 s and 3.00 s: thread 0:1 waits for thread 0:0 (Wait for"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Wait for Creation"), std::string::npos) << "it is a part of another line: " << text;
}

TEST(Text, Ascii) {
  ViewOptions options;
  options.terminal.unicode = false;
  const std::string text = Text(Hybrid(), options);
  ExpectGolden("hybrid_ascii", text);
  for (unsigned char c : text) ASSERT_LT(c, 0x80) << text;
}

TEST(Text, AsciiViews) {
  ViewOptions options;
  options.terminal.unicode = false;
  for (const char* view : {"load", "mpi", "omp", "pop"}) {
    options.view = view;
    const std::string text = Text(Stencil(), options);
    if (view == std::string("load")) ExpectGolden("stencil_load_ascii", text);
    for (unsigned char c : text) ASSERT_LT(c, 0x80) << text;
  }
}

TEST(Text, MpiByPath) {
  ViewOptions options = With("mpi");
  options.paths = true;
  ExpectGolden("stencil_mpi_paths", Text(Stencil(), options));
}

TEST(Text, Matrix) {
  ViewOptions options = With("mpi");
  options.matrix = true;
  EXPECT_EQ(Text(Stencil(), options),
            "error: no communication matrix in this archive: no rank sent a message, or EPK_MPI_MATRIX=no\n");
  const std::vector<Traffic> traffic = StencilTraffic(4);
  options.traffic = &traffic;
  ExpectGolden("stencil_matrix", Text(Stencil(), options));
}

TEST(Text, WhatIsNotThereIsAnError) {
  EXPECT_EQ(Text(Wide(), With("mpi")).find("error: no MPI in this profile: "), 0u);
  EXPECT_EQ(Text(Wide(), With("omp")).find("error: no OpenMP in this profile: "), 0u);
}

TEST(Text, Callers) {
  ViewOptions options = With("callers-of");
  options.argument = "MPI_*";
  ExpectGolden("hybrid_callers", Text(Hybrid(), options));
  options.argument = "nobody";
  EXPECT_EQ(Text(Hybrid(), options), "error: no region is called 'nobody'\n");
}

TEST(Text, PathPattern) {
  ViewOptions options;
  options.path_pattern = "*exchange > MPI_*";
  ExpectGolden("hybrid_path", Text(Hybrid(), options));
}

TEST(Text, UnfoldedAndLimited) {
  ViewOptions options;
  options.fold_recursion = false;
  options.depth = 9;
  options.min_percent = 0;
  ExpectGolden("recursion_unfolded", Text(Recursion(), options));
}

TEST(Text, WholeTree) {
  ViewOptions options;
  options.min_percent = 0;
  options.top = 0;
  const std::string text = Text(Wide(), options);
  EXPECT_NE(text.find("case_299"), std::string::npos);
  EXPECT_EQ(text.find(" more"), std::string::npos);
}

TEST(Text, TopLimitsRows) {
  ViewOptions options;
  options.top = 3;
  const std::string text = Text(Hybrid(), options);
  EXPECT_NE(text.find("more"), std::string::npos) << text;
}

TEST(Text, NothingBecomesNanAndNothingControlsTheTerminal) {
  for (const Sample& sample : AllSamples()) {
    for (const char* view : {"tree", "flat", "load", "mpi", "omp", "pop"}) {
      const std::string text = Text(sample, With(view));
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
      EXPECT_EQ(text.find("inf"), std::string::npos) << text;
      EXPECT_EQ(text.find('\033'), std::string::npos) << text;
      EXPECT_EQ(text.find("  \n"), std::string::npos) << text;
    }
  }
}

TEST(Text, FitsTheWidth) {
  for (const Sample& sample : AllSamples()) {
    for (size_t width : {60, 80, 100, 160}) {
      for (const char* view : {"tree", "flat", "load", "mpi", "omp", "pop", "counters"}) {
        ViewOptions options = With(view);
        options.terminal.width = width;
        std::stringstream lines(Text(sample, options));
        for (std::string line; std::getline(lines, line);) {
          if (line.starts_with("error: ")) continue;  // it is no part of the report
          EXPECT_LE(view::Width(line), width) << view << ": " << line;
        }
      }
    }
  }
}

TEST(Text, WithoutAManifest) {
  Sample sample = Hybrid();
  sample.manifest = archive::Manifest();
  sample.manifest.program = "other.cubex";
  sample.manifest.ended = "";
  const std::string text = Text(sample);
  for (const char* claim : {"ended", "DID NOT", "wall time", "events"}) {
    EXPECT_EQ(text.find(claim), std::string::npos) << text;
  }
}

TEST(Text, ColourIsCalm) {
  ViewOptions options;
  options.terminal.colour = true;
  const std::string text = Text(Unfinished(), options);
  EXPECT_EQ(text.find("\033[1;31mDID NOT END NORMALLY"), 0u);
}

TEST(Text, DeepTreesNeedNoDeepStack) {
  const Sample deep = Deep(200000);
  for (bool fold : {true, false}) {
    ViewOptions options;
    options.fold_recursion = fold;
    EXPECT_FALSE(Text(deep, options).empty());
  }
}

}  // namespace
}  // namespace epik::report
