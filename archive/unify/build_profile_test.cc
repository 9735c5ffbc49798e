// SPDX-License-Identifier: BSD-3-Clause
// Makes profiles from hand-made arenas, and tests which definitions merge, which frames are closed, and which data
// stays apart; also with damaged arenas.
#include "archive/unify/build_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "archive/image/test_arena.h"
#include "archive/unify/test_profile.h"

// The linker puts the first byte of this program here.
extern "C" const char __executable_start;

namespace epik::archive {
namespace {

using event::Ending;
using event::Key;
using event::RegionKey;

ProcessImage ImageOf(const std::string& bytes) {
  ProcessImage image;
  std::string error;
  EXPECT_TRUE(ReadProcessImage(bytes.data(), bytes.size(), &image, &error)) << error;
  return image;
}

constexpr Key kProgram = RegionKey(event::kProgramRegion);
constexpr Key kThread = RegionKey(event::kThreadRegion);

class BuildProfileTest : public ::testing::Test {
 protected:
  void Build() {
    std::vector<ProcessImage> images;
    for (TestArena& arena : arenas_) images.push_back(ImageOf(arena.bytes()));
    BuildProfile(images, hint_, &profile_, &manifest_);
  }

  // The call path with that name, or kNone.
  uint32_t Path(const std::string& name) {
    for (uint32_t path = 0; path < profile_.call_paths.size(); ++path) {
      if (profile_.PathName(path) == name) return path;
    }
    ADD_FAILURE() << "no path " << name << Paths();
    return kNone;
  }

  std::string Paths() {
    std::string text;
    for (uint32_t path = 0; path < profile_.call_paths.size(); ++path) text += "\n  " + profile_.PathName(path);
    return text;
  }

  // The ticks of these arenas are nanoseconds.
  double Value(const std::string& metric, const std::string& path, uint32_t column = 0) {
    const uint32_t index = profile_.FindMetric(metric);
    const uint32_t place = Path(path);
    if (index == kNone || place == kNone) return -1;
    // Times are tested with their callees.
    const double value =
        metric == "time" ? profile_.Inclusive(index, column)[place] : profile_.values[index].Real(place, column);
    const bool time = profile_.metrics[index].unit == "sec";
    return time ? std::round(value * 1e9) : value;
  }

  void ExpectNoNegativeTimes() {
    const uint32_t time = profile_.FindMetric("time");
    for (uint32_t column = 0; column < profile_.locations.size(); ++column) {
      const std::vector<double> inclusive = profile_.Inclusive(time, column);
      const std::vector<double> exclusive = profile_.Exclusive(time, column);
      for (uint32_t path = 0; path < exclusive.size(); ++path) {
        EXPECT_GE(exclusive[path], -1e-9 * inclusive[path]) << profile_.PathName(path);
      }
    }
  }

  std::vector<TestArena> arenas_ = std::vector<TestArena>(1);
  EndingHint hint_;
  Profile profile_;
  Manifest manifest_;
};

TEST_F(BuildProfileTest, NodesThatNameTheSameRegionAreOneCallPath) {
  TestArena& arena = arenas_[0];
  // Two definitions of one region, as for clones or for a module that was loaded twice: their callees merge, too.
  arena.DefineRegion(16, "solve", event::Role::kUser, "s.cc", 3);
  arena.DefineRegion(17, "solve", event::Role::kUser, "s.cc", 3);
  arena.DefineRegion(18, "inner");
  arena.DefineRegion(19, "solve", event::Role::kUser, "another.cc", 3);
  const uint32_t at = arena.AddLocation(0);
  const uint32_t root = arena.AddNode(at, 0, kProgram, 1, 1000);
  const uint32_t one = arena.AddNode(at, root, RegionKey(16), 2, 200);
  const uint32_t two = arena.AddNode(at, root, RegionKey(17), 3, 600);
  arena.AddNode(at, one, RegionKey(18), 1, 20);
  arena.AddNode(at, two, RegionKey(18), 1, 30);
  arena.AddNode(at, root, RegionKey(19), 1, 5);
  Build();
  ASSERT_EQ(profile_.call_paths.size(), 4u) << Paths();
  EXPECT_EQ(Value("visits", "program > solve"), 5);
  EXPECT_EQ(Value("time", "program > solve"), 800);
  EXPECT_EQ(Value("min_time", "program > solve"), 100);
  EXPECT_EQ(Value("max_time", "program > solve"), 200);
  EXPECT_EQ(Value("visits", "program > solve > inner"), 2);
  EXPECT_EQ(Value("time", "program > solve > inner"), 50);
  ExpectNoNegativeTimes();
}

// The symbols are those of this test itself, with names that compilers give to parts of a function. Debug information
// gives clones the line of their function, so these are on one line.
#define CLONE(function, symbol, value)          \
  extern "C" int function(int) __asm__(symbol); \
  __attribute__((noinline, used)) int function(int x) { return x + (value); }
#define BOTH_CLONES                                        \
  CLONE(epik_test_clone_part, "epik_test_clone.part.0", 1) \
  CLONE(epik_test_clone_constprop, "epik_test_clone.constprop.0", 2)
BOTH_CLONES

TEST_F(BuildProfileTest, ClonesOfAFunctionAreOneCallPath) {
  TestArena& arena = arenas_[0];
  char* self = realpath("/proc/self/exe", nullptr);
  ASSERT_NE(self, nullptr);
  const auto constprop = reinterpret_cast<uint64_t>(&epik_test_clone_constprop);
  const auto part = reinterpret_cast<uint64_t>(&epik_test_clone_part);
  const auto bias = reinterpret_cast<uint64_t>(&__executable_start);
  const event::ModuleRecord record{bias, bias, bias + (uint64_t{1} << 32)};
  std::string payload(reinterpret_cast<const char*>(&record), sizeof record);
  payload.append(1, '\0').append(self);
  arena.Define(event::RecordType::kModule, payload);
  std::free(self);
  const uint32_t at = arena.AddLocation(0);
  const uint32_t root = arena.AddNode(at, 0, kProgram, 1, 1000);
  arena.AddNode(at, root, constprop, 2, 200);
  arena.AddNode(at, root, part, 3, 300);
  Build();
  ASSERT_EQ(profile_.call_paths.size(), 2u) << Paths();
  EXPECT_EQ(Value("visits", "program > epik_test_clone"), 5);
  EXPECT_EQ(Value("time", "program > epik_test_clone"), 500);
}

TEST_F(BuildProfileTest, MetricNodesAreMetricsOfTheirParent) {
  TestArena& arena = arenas_[0];
  const uint32_t residual = 16 | event::kMetricBit, time = 17 | event::kMetricBit;
  arena.DefineRegion(residual, "residual", event::Role::kMetric, "1");
  arena.DefineRegion(time, "time", event::Role::kMetric, "h");
  arena.DefineRegion(18, "solve");
  const uint32_t at = arena.AddLocation(0);
  const uint32_t root = arena.AddNode(at, 0, kProgram, 1, 1000);
  const uint32_t solve = arena.AddNode(at, root, RegionKey(18), 1, 100);
  arena.node(arena.AddNode(at, solve, RegionKey(residual), 4)).squares = 2.5;
  arena.node(arena.AddNode(at, solve, RegionKey(time), 1)).squares = 7;
  arena.DefineRegion(19 | event::kMetricBit, "mpi_communication", event::Role::kMetric, "1");
  arena.DefineRegion(20 | event::kMetricBit, "", event::Role::kMetric, "1");
  arena.node(arena.AddNode(at, solve, RegionKey(19 | event::kMetricBit), 1)).squares = 8;
  arena.node(arena.AddNode(at, solve, RegionKey(20 | event::kMetricBit), 1)).squares = 9;
  Build();
  EXPECT_EQ(profile_.call_paths.size(), 2u) << Paths();
  EXPECT_EQ(Value("mpi_communication (user)", "program > solve"), 8);
  EXPECT_EQ(Value("unnamed", "program > solve"), 9);
  EXPECT_EQ(Value("residual", "program > solve"), 2.5);
  EXPECT_EQ(profile_.metrics[profile_.FindMetric("residual")].unit, "1");
  EXPECT_EQ(Value("time (user)", "program > solve"), 7);
  EXPECT_EQ(Value("time", "program > solve"), 100);
  EXPECT_EQ(Value("visits", "program > solve"), 1);
}

// program (open since 1000) > main (1100) > work (5000, and 2 visits of 300 before).
void OpenFrames(TestArena* arena, Ending ending, uint64_t end_ticks) {
  arena->DefineRegion(16, "main");
  arena->DefineRegion(17, "work");
  const uint32_t at = arena->AddLocation(0);
  const uint32_t root = arena->AddNode(at, 0, kProgram);
  const uint32_t main = arena->AddNode(at, root, RegionKey(16));
  const uint32_t work = arena->AddNode(at, main, RegionKey(17), 2, 600);
  arena->Push(at, root, 1000);
  arena->Push(at, main, 1100);
  arena->Push(at, work, 5000);
  arena->header().start_ticks = 1000;
  arena->header().ending = ending;
  arena->header().end_ticks = end_ticks;
}

TEST_F(BuildProfileTest, OpenFramesCloseAtTheEndAndTheOutermostIsExpected) {
  OpenFrames(&arenas_[0], Ending::kExit, 9000);
  Build();
  EXPECT_EQ(Value("time", "program"), 8000);
  EXPECT_EQ(Value("time", "program > main"), 7900);
  EXPECT_EQ(Value("time", "program > main > work"), 4600);
  EXPECT_EQ(Value("visits", "program > main > work"), 3);
  EXPECT_EQ(Value("max_time", "program > main > work"), 4000);
  EXPECT_EQ(Value("unfinished", "program"), 0);
  EXPECT_EQ(Value("unfinished", "program > main"), 1);
  EXPECT_EQ(Value("unfinished", "program > main > work"), 1);
  EXPECT_EQ(manifest_.open_frames, 2u);
  EXPECT_NEAR(manifest_.wall_seconds, 8e-6, 1e-12);
  ExpectNoNegativeTimes();
}

TEST_F(BuildProfileTest, WithoutALastWordFramesCloseAtTheLatestKnownMoment) {
  hint_.recovered = true;
  OpenFrames(&arenas_[0], Ending::kNone, 0);
  arenas_[0].header().pair[0] = {7000, 7000};
  Build();
  EXPECT_EQ(manifest_.ended, "killed");
  EXPECT_EQ(Value("time", "program"), 6000);
  EXPECT_EQ(Value("time", "program > main > work"), 2600);
  EXPECT_EQ(Value("unfinished", "program"), 1);
  EXPECT_EQ(manifest_.open_frames, 3u);
  ExpectNoNegativeTimes();
}

TEST_F(BuildProfileTest, AParameterHasNoEndOfItsOwn) {
  TestArena& arena = arenas_[0];
  OpenFrames(&arena, Ending::kExit, 9000);
  const uint32_t number = 18 | event::kParameterBit;
  arena.DefineRegion(number, "n=3", event::Role::kParameter);
  const uint32_t at = arena.chunks()[1] + 1;
  arena.Push(at, arena.AddNode(at, arena.location(at).node, RegionKey(number)), 6000);
  Build();
  EXPECT_EQ(Value("time", "program > main > work > n=3"), 3000);
  EXPECT_EQ(manifest_.open_frames, 2u);
}

TEST_F(BuildProfileTest, AThreadCountsForThePathThatMadeIt) {
  TestArena& arena = arenas_[0];
  arena.DefineRegion(16, "main");
  arena.DefineRegion(17, "work");
  arena.header().ending = Ending::kExit;
  arena.header().end_ticks = 5000;
  const uint32_t at = arena.AddLocation(1);
  const uint32_t root = arena.AddNode(at, 0, kProgram);
  const uint32_t main = arena.AddNode(at, root, RegionKey(16));
  const uint32_t thread = arena.AddNode(at, main, kThread);
  const uint32_t work = arena.AddNode(at, thread, RegionKey(17));
  arena.Push(at, thread, 2000);
  arena.Push(at, work, 2500);
  Build();
  EXPECT_EQ(Value("time", "program"), 3000);
  EXPECT_EQ(Value("time", "program > main"), 3000);
  EXPECT_EQ(Value("time", "program > main > thread"), 3000);
  EXPECT_EQ(Value("time", "program > main > thread > work"), 2500);
  EXPECT_EQ(Value("visits", "program > main"), 0);
  EXPECT_EQ(Value("visits", "program > main > thread"), 1);
  EXPECT_EQ(manifest_.open_frames, 1u);
  ExpectNoNegativeTimes();
}

TEST_F(BuildProfileTest, ProcessesAreOneTreeWithAColumnForEach) {
  arenas_.resize(2);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    TestArena& arena = arenas_[rank];
    arena.header().rank = static_cast<int32_t>(rank);
    arena.header().pair[0] = {1'001'000, 1000 + 1'000'000 / (rank + 1)};  // the second clock is twice as fast
    // The same regions have other numbers, and another order.
    arena.DefineRegion(16 + rank, "send");
    arena.DefineRegion(17 - rank, "solve");
    const uint32_t at = arena.AddLocation(0);
    const uint32_t root = arena.AddNode(at, 0, kProgram, 1, 1000);
    if (rank == 0) arena.AddNode(at, root, RegionKey(17), 1, 100);
    arena.AddNode(at, root, RegionKey(16 + rank), 2 + rank, 400);
  }
  Build();
  ASSERT_EQ(profile_.call_paths.size(), 3u) << Paths();
  ASSERT_EQ(profile_.processes.size(), 2u);
  EXPECT_EQ(profile_.hosts.size(), 1u);
  EXPECT_EQ(Value("visits", "program > send", 0), 2);
  EXPECT_EQ(Value("visits", "program > send", 1), 3);
  EXPECT_EQ(Value("time", "program > send", 0), 400);
  EXPECT_EQ(Value("time", "program > send", 1), 200);
  EXPECT_EQ(Value("time", "program > solve", 0), 100);
  EXPECT_EQ(Value("time", "program > solve", 1), 0);
  EXPECT_EQ(manifest_.ranks, 2);
  ExpectNoNegativeTimes();
}

// A thread goes on for a moment after the end has been noted.
TEST_F(BuildProfileTest, WhatWasMeasuredAfterTheEndIsInItsCaller) {
  TestArena& arena = arenas_[0];
  OpenFrames(&arena, Ending::kExit, 6000);
  const uint32_t at = arena.chunks()[1] + 1;
  arena.DefineRegion(18, "late");
  arena.AddNode(at, arena.location(at).node, RegionKey(18), 1, 2000);
  arena.location(at).last = 7500;
  Build();
  EXPECT_EQ(Value("time", "program > main > work"), 600 + 2500);
  ExpectNoNegativeTimes();
}

// The process was killed between the two stores that add a visit and release its frame.
TEST_F(BuildProfileTest, AVisitThatWasAddedAndIsStillOpenIsInItsCaller) {
  TestArena& arena = arenas_[0];
  OpenFrames(&arena, Ending::kNone, 0);
  arena.header().pair[0] = {5001, 5001};
  const uint32_t at = arena.chunks()[1] + 1;
  arena.node(arena.location(at).node).ticks = 90'000;
  Build();
  EXPECT_EQ(Value("time", "program > main > work"), 90'001);
  ExpectNoNegativeTimes();
}

TEST_F(BuildProfileTest, NothingIsAnEmptyProfile) {
  arenas_.clear();
  Build();
  EXPECT_TRUE(profile_.call_paths.empty());
  arenas_.resize(1);
  Build();
  EXPECT_TRUE(profile_.call_paths.empty());
  EXPECT_TRUE(profile_.locations.empty());
}

// Sanitizers take ten times as long for each round.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 3'000;
#else
constexpr int kRounds = 15'000;
#endif

TEST_F(BuildProfileTest, DamagedArenas) {
  const std::string whole = SampleArena().bytes();
  std::vector<size_t> used;
  for (size_t at = 0; at < whole.size(); at += 4) {
    if (whole.compare(at, 4, std::string(4, '\0')) != 0) used.push_back(at);
  }
  std::mt19937_64 random(20250118);
  std::vector<ProcessImage> images(1);
  std::string error;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    std::string bytes = whole;
    for (uint64_t n = random() % 4 + 1; n > 0; --n) {
      const uint64_t value = random() % 2 == 0 ? random() : random() % (whole.size() / 32);
      const size_t width = random() % 2 == 0 ? 4 : 1;
      std::memcpy(bytes.data() + used[random() % used.size()] + (width == 1 ? random() % 4 : 0), &value, width);
    }
    if (!ReadProcessImage(bytes.data(), bytes.size(), &images[0], &error)) continue;
    BuildProfile(images, hint_, &profile_, &manifest_);
    for (uint32_t path = 0; path < profile_.call_paths.size(); ++path) {
      const CallPath& call_path = profile_.call_paths[path];
      ASSERT_TRUE(call_path.parent == kNone || call_path.parent < path);
      ASSERT_LT(call_path.region, profile_.regions.size());
    }
    ExpectNoNegativeTimes();
  }
}

}  // namespace
}  // namespace epik::archive
